import { addressOf, isLoopback } from './address.js';
import { ReadEnvironment } from './read-environment.js';
import type { Environment, SettingDescription } from './setting.js';
import { readerOf } from './setting-group.js';
import { type MailConfig, mailSettings, readMailConfig } from './settings/mail.js';
import { type ServiceConfig, serviceSettings, readServiceConfig } from './settings/service.js';
import { type TextsConfig, textsSettings, readTextsConfig } from './settings/texts.js';
import { type TracingConfig, tracingSettings, readTracingConfig } from './settings/tracing.js';
import { ConfigError } from './start-refusal.js';

export type { Environment, SettingDescription } from './setting.js';
export type { LogLevel, NodeEnvironment } from './settings/service.js';
export { ConfigError, StartRefusal } from './start-refusal.js';

/** The token under which the one `Config` of the process is injected. */
export const CONFIG = Symbol('CONFIG');

/** The service's own configuration, read once and validated. Groups and plugins have `Settings` of theirs. */
export interface Config extends ServiceConfig, TextsConfig {
  readonly mail: MailConfig;
  /** `undefined`: no traces. */
  readonly tracing: TracingConfig | undefined;
  /** Where it was read from, and the settings of groups and plugins are. */
  readonly environment: ReadEnvironment;
}

/** The service's own settings. */
export const SETTINGS: readonly SettingDescription[] = [
  ...Object.values(serviceSettings),
  ...Object.values(mailSettings),
  ...Object.values(textsSettings),
  ...Object.values(tracingSettings),
];

/**
 * Reads and checks the service's own settings. No other code reads the environment of the process.
 * @throws ConfigError with one line that names the first wrong setting.
 */
export function loadConfig(env: Environment = process.env): Config {
  refuseRetired(env);
  const read = readerOf(env);
  const config: Config = {
    ...readServiceConfig(read),
    ...readMailConfig(read),
    ...readTextsConfig(read),
    ...readTracingConfig(read),
    environment: new ReadEnvironment(env),
  };
  refuseInProduction(config);
  return config;
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
