import { addressOf, isLoopback } from './address.js';
import type { ReadSetting, Setting, SettingDescription } from './setting.js';
import { CHAIN_RPC_URLS, type ChainsConfig, chainSettings, readChainsConfig } from './settings/chains.js';
import { type KycConfig, kycSettings, readKycConfig } from './settings/kyc.js';
import { type MailConfig, mailSettings, readMailConfig } from './settings/mail.js';
import { type NewsConfig, newsSettings, readNewsConfig } from './settings/news.js';
import { type PayoutsConfig, payoutSettings, readPayoutsConfig } from './settings/payouts.js';
import { readRetentionConfig, type RetentionConfig, retentionSettings } from './settings/retention.js';
import { type ServiceConfig, serviceSettings, readServiceConfig } from './settings/service.js';
import { type TradingConfig, tradingSettings, readTradingConfig } from './settings/trading.js';
import { type WalletsConfig, walletSettings, readWalletsConfig } from './settings/wallets.js';
import { ConfigError } from './start-refusal.js';
import { type ReadNames, unreadSettings } from './unread-settings.js';

export type { SettingDescription } from './setting.js';
export type { LogLevel, NodeEnvironment } from './settings/service.js';
export type { BitcoinNetwork } from './settings/wallets.js';
export { ConfigError, StartRefusal } from './start-refusal.js';

/** The token under which the one `Config` of the process is injected. */
export const CONFIG = Symbol('CONFIG');

/** All configuration of the environment, read once and validated. */
export interface Config extends ServiceConfig, TradingConfig, WalletsConfig, ChainsConfig, NewsConfig {
  readonly kyc: KycConfig;
  readonly payouts: PayoutsConfig;
  readonly mail: MailConfig;
  readonly retention: RetentionConfig;
}

/** All settings, in the order of docs/settings.md. */
export const SETTINGS: readonly SettingDescription[] = [
  ...described(serviceSettings),
  ...described(mailSettings),
  ...described(tradingSettings),
  ...described(walletSettings),
  ...described(chainSettings),
  ...described(payoutSettings),
  ...described(kycSettings),
  ...described(newsSettings),
  ...described(retentionSettings),
  CHAIN_RPC_URLS,
];

function described(group: Readonly<Record<string, SettingDescription>>): SettingDescription[] {
  return Object.values(group).map(({ name, default: fallback, meaning }) => ({
    name,
    default: fallback,
    meaning,
  }));
}

/** Where settings are read from. */
export type Environment = NodeJS.ProcessEnv;

/** Reads settings that plugins declare. Throws as `loadConfig` does. */
export function readSettings(
  settings: readonly Setting<unknown>[],
  env: Environment = process.env,
): ReadonlyMap<Setting<unknown>, unknown> {
  return new Map(settings.map((setting) => [setting, setting.read(env[setting.name])]));
}

/**
 * Reads and checks every setting of the service. No other code reads the environment.
 * @throws ConfigError with one line that names the first wrong setting.
 */
export function loadConfig(env: Environment = process.env): Config {
  refuseRetired(env);
  const read: ReadSetting = (setting) => setting.read(env[setting.name]);
  const config: Config = {
    ...readServiceConfig(read),
    ...readTradingConfig(read),
    ...readWalletsConfig(read),
    ...readChainsConfig(read, env),
    payouts: readPayoutsConfig(read),
    kyc: readKycConfig(read),
    ...readNewsConfig(read),
    ...readMailConfig(read),
    retention: readRetentionConfig(read),
  };
  refuseInProduction(config);
  return config;
}

/** Variables that somebody will have meant for the service and that nothing reads, a sentence each. */
export function unreadVariables(read: ReadNames, env: Environment = process.env): string[] {
  return unreadSettings(env, read);
}

/**
 * Completes `publicUrl` once the server listens: with port 0 and no `PUBLIC_URL` the port is not known earlier. It
 * changes the injected object, so read `config.publicUrl` when needed and keep no copy. Does nothing if the address was
 * known from the start.
 */
export function settlePublicUrl(config: Config, listeningPort: number): void {
  if (config.publicUrl !== addressOf(config.host, 0)) return;
  (config as { publicUrl: string }).publicUrl = addressOf(config.host, listeningPort);
}

/**
 * Why the service must not run with demo data, whose passwords are public; `undefined` if it may. Checked at start for
 * data to be seeded, and again for data found in the database.
 */
export function demoDataRefusal(config: Config): ConfigError | undefined {
  if (config.nodeEnv === 'production') {
    return new ConfigError(
      'NODE_ENV',
      'is production, which must not run with demo data, whose passwords are public: use another database (DATABASE_URL or DATA_DIR).',
    );
  }
  if (!isLoopback(config.host) && !config.demoDataAccepted) {
    return new ConfigError(
      'HOST',
      'is not a loopback address, so others could use the public passwords of the demo data: set SEED_DEMO=true to allow that, or use NODE_ENV=production and a database without them.',
    );
  }
  return undefined;
}

/** Refuses settings that were removed, so that nobody believes in their effect. */
function refuseRetired(env: Environment): void {
  if (env.SETTLEMENT_FOUR_EYES) {
    throw new ConfigError('SETTLEMENT_FOUR_EYES', 'was replaced: set FOUR_EYES to on or off instead.');
  }
}

/** What OWASP names first for argon2id with two passes. Less is for tests. */
const PASSWORD_MEMORY_KIB_MIN = 19_456;

function refuseInProduction(config: Config): void {
  if (config.nodeEnv === 'production' && config.demoDataAccepted) {
    throw new ConfigError('SEED_DEMO', 'must not be true when NODE_ENV is production.');
  }
  const refusal = config.seedDemo ? demoDataRefusal(config) : undefined;
  if (refusal !== undefined) throw refusal;
  if (config.nodeEnv === 'production' && config.webhookAllowPrivate) {
    throw new ConfigError('WEBHOOK_ALLOW_PRIVATE', 'must not be true when NODE_ENV is production.');
  }
  if (config.nodeEnv === 'production' && config.passwordMemoryKib < PASSWORD_MEMORY_KIB_MIN) {
    throw new ConfigError(
      'PASSWORD_MEMORY_KIB',
      `must not be below ${PASSWORD_MEMORY_KIB_MIN} when NODE_ENV is production.`,
    );
  }
}
