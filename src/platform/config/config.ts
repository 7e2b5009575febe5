import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import type { Amount } from '../../domain/money/amount.js';
import {
  type Reader,
  assetAmount,
  baseUrl,
  bool,
  host,
  integer,
  listOf,
  oneOf,
  origin,
  text,
  url,
} from './readers.js';
import { ConfigError } from './start-refusal.js';
import { evmToken, type EvmToken } from './evm-token.js';
import { kycLimit, type KycLimit } from './kyc-limit.js';
import { bic, iban, routingNumber, timeOfDay } from './payout-readers.js';

export { ConfigError, StartRefusal } from './start-refusal.js';

/** The token under which the one `Config` of the process is injected. */
export const CONFIG = Symbol('CONFIG');

export type NodeEnvironment = 'development' | 'test' | 'production';
export type LogLevel = 'silent' | 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';
export type BitcoinNetwork = 'mainnet' | 'testnet' | 'signet' | 'regtest';

/** Everything that the environment decides, read once and checked. */
export interface Config {
  readonly nodeEnv: NodeEnvironment;
  readonly host: string;
  /** 0 lets the operating system pick a free one at listen. */
  readonly port: number;
  /**
   * Where clients reach the service and the issuer of its tokens, without a trailing slash. With port 0
   * and no `PUBLIC_URL` it ends in `:0` until `settlePublicUrl` is told the port that was picked.
   */
  readonly publicUrl: string;
  /** `undefined`: the embedded PostgreSQL under `dataDir`. Contains a password: never log it. */
  readonly databaseUrl: string | undefined;
  /** Absolute; need not exist yet. */
  readonly dataDir: string;
  /** Whether demo data are to be seeded at this start, if they are not there yet. */
  readonly seedDemo: boolean;
  /** Whether `SEED_DEMO=true` was said outright: the operator wants demo data even where others can reach them. */
  readonly demoDataAccepted: boolean;
  /** Creates the first operator where there is none. */
  readonly bootstrapAdmin: { readonly username: string; readonly password: string } | undefined;
  readonly keystorePassphrase: string | undefined;
  readonly rateLimits: 'on' | 'off';
  /** Origins of other sites whose pages may call the service; empty allows the same origin only. */
  readonly corsOrigins: readonly string[];
  /** How many proxies stand before the service; 0 believes no `X-Forwarded-For`. */
  readonly trustProxy: number;
  /** A second, loopback-only port on which `/metrics` needs no credential. */
  readonly metricsPort: number | undefined;
  readonly logLevel: LogLevel;
  readonly newsFeeds: readonly string[];
  /** By the chain's name in lower case, such as `ethereum`. */
  readonly chainRpcUrls: Readonly<Record<string, string>>;
  /** How the service deals with ethereum, where `chainRpcUrls` names a node of it. */
  readonly chainEthereum: {
    readonly tokens: readonly EvmToken[];
    /** Blocks, its own included, after which a transaction counts as final. */
    readonly confirmations: number;
    readonly pollMs: number;
    /** How long a transaction may wait for its block before it is replaced by one that offers more. */
    readonly replaceAfterMs: number;
    /** By asset: what must lie on an address together before any of it is credited. */
    readonly depositMinimums: ReadonlyMap<string, Amount>;
    /** In units of 10^-18 ETH. */
    readonly maxFeePerGas: bigint;
    /** Undefined starts at the head of the first look. */
    readonly startBlock: number | undefined;
  };
  /** Whether a settlement needs two operators. */
  readonly settlementFourEyes: boolean;
  /** By asset: what leaves a wallet over a chain above this amount needs a second person. */
  readonly walletApprovalAbove: ReadonlyMap<string, Amount>;
  /** By asset: how much may leave a wallet over chains in 24 hours. */
  readonly walletDailyLimit: ReadonlyMap<string, Amount>;
  /** How long after it was listed money may first go to an address. */
  readonly walletDestinationWaitMs: number;
  /** How long a quote can be accepted. */
  readonly quoteLifetimeMs: number;
  /** How well people must be known, and what they may then be paid out. */
  readonly kyc: {
    readonly ageMinYears: number;
    /** Whether cases in which nothing is found need no operator. */
    readonly autoApprove: boolean;
    /** Whether cases that are wrong beyond doubt are rejected at once; otherwise an operator looks. */
    readonly autoReject: boolean;
    readonly limits: readonly KycLimit[];
    /** The OFAC SDN list as CSV; undefined checks nobody against one, and so approves nobody by itself. */
    readonly sanctionsFile: string | undefined;
    /** The other names of its entries; undefined where there is no such file. */
    readonly sanctionsAltFile: string | undefined;
    /** How alike two names are from which on a person must look, from 0 to 100. */
    readonly sanctionsScoreMin: number;
  };
  /** Money that leaves for bank accounts, and the bank accounts that it leaves from. */
  readonly payouts: {
    /** By currency: a payout above this amount needs an operator's approval; without an entry none does. */
    readonly approvalAbove: ReadonlyMap<string, Amount>;
    /** By currency: what a payout costs in addition to its amount. */
    readonly fees: ReadonlyMap<string, Amount>;
    /** What to do where the holder of a payout account is not named as in the KYC record. */
    readonly holderNameCheck: 'warn' | 'refuse';
    /** The name under which the house pays; files need it. */
    readonly companyName: string | undefined;
    readonly sepa: {
      readonly iban: string | undefined;
      readonly bic: string | undefined;
      /** Minutes after midnight in Brussels. */
      readonly cutOffMinutes: number;
      /** Business days without a return after which a payout counts as paid. */
      readonly paidAfterDays: number;
    };
    readonly ach: {
      readonly routingNumber: string | undefined;
      readonly companyId: string | undefined;
      readonly bankName: string;
      /** Minutes after midnight in New York. */
      readonly cutOffMinutes: number;
      readonly paidAfterDays: number;
    };
  };
  readonly bitcoinNetwork: BitcoinNetwork;
  /** Whether webhooks may be delivered to private addresses and over plain http. */
  readonly webhookAllowPrivate: boolean;
}

/** A row of the README's table of settings. */
export interface SettingDescription {
  readonly name: string;
  /** The default as the table shows it. */
  readonly default: string;
  readonly meaning: string;
}

interface Setting<T> extends SettingDescription {
  /** The value for the variable's text; an absent or empty variable takes the default. */
  readonly read: (raw: string | undefined) => T;
}

/** A setting with a default that is itself a value of it. */
function setting<T>(name: string, reader: Reader<T>, fallback: string, meaning: string): Setting<T> {
  return { name, default: fallback, meaning, read: (raw) => parse(name, reader, raw || fallback) };
}

/** A setting that may be left out; `whenUnset` says in words what holds then. */
function optional<T>(
  name: string,
  reader: Reader<T>,
  whenUnset: string,
  meaning: string,
): Setting<T | undefined> {
  return { name, default: whenUnset, meaning, read: (raw) => (raw ? parse(name, reader, raw) : undefined) };
}

function parse<T>(name: string, reader: Reader<T>, raw: string): T {
  const value = reader.parse(raw);
  // The value itself stays out of the line: it may be a secret that landed in the wrong variable.
  if (value === undefined) throw new ConfigError(name, `must be ${reader.expects}.`);
  return value;
}

const anyText = text('text', /./s);
const filePath = text('the path of a file', /^[^\0]+$/);

const settings = {
  nodeEnv: setting(
    'NODE_ENV',
    oneOf('development', 'test', 'production'),
    'development',
    'Production refuses demo data and development conveniences.',
  ),
  host: setting('HOST', host, '127.0.0.1', 'Address to listen on.'),
  port: setting('PORT', integer(0, 65_535), '3000', 'Port to listen on; 0 picks a free one.'),
  publicUrl: optional(
    'PUBLIC_URL',
    baseUrl('https', 'http'),
    'http://HOST:PORT',
    'Where clients reach the service; the issuer of its tokens.',
  ),
  databaseUrl: optional(
    'DATABASE_URL',
    text('an address such as postgresql://user:password@host:5432/database', /^postgres(ql)?:\/\/\S+$/),
    'embedded',
    'A PostgreSQL of your own; without it the embedded one under DATA_DIR is started.',
  ),
  dataDir: setting(
    'DATA_DIR',
    text('the path of a folder', /^[^\0]+$/),
    './data',
    'Folder of the embedded database, of uploaded files and of a passphrase that was made; created if missing.',
  ),
  redisUrl: optional('REDIS_URL', anyText, 'one process', 'Not supported yet: must be unset.'),
  seedDemo: optional(
    'SEED_DEMO',
    bool,
    'true if embedded and not production',
    'Whether to seed demo clients, users, markets and balances; where HOST is not loopback they need true.',
  ),
  bootstrapAdminUsername: optional(
    'BOOTSTRAP_ADMIN_USERNAME',
    text('1 to 64 letters, digits, dots, underscores or hyphens', /^[A-Za-z0-9._-]{1,64}$/),
    'none',
    'Name of the first operator, made at a start where there is none.',
  ),
  bootstrapAdminPasswordFile: optional(
    'BOOTSTRAP_ADMIN_PASSWORD_FILE',
    filePath,
    'none',
    "File that holds the first operator's password.",
  ),
  keystorePassphrase: optional(
    'KEYSTORE_PASSPHRASE',
    anyText,
    'made once, outside production',
    'Encrypts the seeds of wallets and stored secrets.',
  ),
  keystorePassphraseFile: optional(
    'KEYSTORE_PASSPHRASE_FILE',
    filePath,
    'none',
    'File or descriptor, such as /dev/fd/3, that holds the passphrase, instead of KEYSTORE_PASSPHRASE.',
  ),
  rateLimits: setting('RATE_LIMITS', oneOf('on', 'off'), 'on', 'off for benchmarks.'),
  corsOrigins: optional(
    'CORS_ORIGINS',
    listOf(origin, 100),
    'same origin only',
    'Origins whose pages may call the service, separated by commas; sockets too.',
  ),
  trustProxy: setting(
    'TRUST_PROXY',
    integer(0, 16),
    '0',
    'How many proxies stand before the service and set X-Forwarded-For.',
  ),
  metricsPort: optional(
    'METRICS_PORT',
    integer(0, 65_535),
    'none',
    'A loopback port that serves /metrics without a credential.',
  ),
  logLevel: setting(
    'LOG_LEVEL',
    oneOf('silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'),
    'info',
    'The least important level that is logged.',
  ),
  settlementFourEyes: setting(
    'SETTLEMENT_FOUR_EYES',
    bool,
    'false',
    'Whether settling a market, or correcting that, needs two operators.',
  ),
  walletApprovalAbove: optional(
    'WALLET_APPROVAL_ABOVE',
    listOf(assetAmount, 100),
    'none',
    'Amounts such as USDC:10000,ETH:5 above which a transfer over a chain needs a second person.',
  ),
  walletDailyLimit: optional(
    'WALLET_DAILY_LIMIT',
    listOf(assetAmount, 100),
    'none',
    'Amounts such as USDC:50000,ETH:20 that may leave a wallet over chains in 24 hours.',
  ),
  walletDestinationWaitSeconds: setting(
    'WALLET_DESTINATION_WAIT_SECONDS',
    integer(0, 2_592_000),
    '0',
    'How long a newly listed destination of a wallet waits until money may go there.',
  ),
  quoteLifetimeMs: setting(
    'QUOTE_LIFETIME_MS',
    integer(1, 3_600_000),
    '10000',
    'How long a quote can be accepted, in milliseconds.',
  ),
  payoutApprovalAbove: setting(
    'PAYOUT_APPROVAL_ABOVE',
    listOf(assetAmount, 100),
    'EUR:1000,USD:1000',
    "Amounts above which a payout needs an operator's approval.",
  ),
  payoutFees: optional(
    'PAYOUT_FEES',
    listOf(assetAmount, 100),
    'none',
    'What a payout costs in addition to its amount, such as EUR:0.5,USD:0.25.',
  ),
  payoutHolderNameCheck: setting(
    'PAYOUT_HOLDER_NAME_CHECK',
    oneOf('warn', 'refuse'),
    'warn',
    'What to do where a payout account has another holder than the KYC record has names.',
  ),
  payoutCompanyName: optional(
    'PAYOUT_COMPANY_NAME',
    text('1 to 70 letters, digits, spaces and .,()+-', /^[A-Za-z0-9][A-Za-z0-9 .,()+-]{0,69}$/),
    'none',
    'The name under which payouts are made; payment files need it.',
  ),
  payoutSepaIban: optional(
    'PAYOUT_SEPA_IBAN',
    iban,
    'none',
    'The account that SEPA payouts are paid from; SEPA files need it.',
  ),
  payoutSepaBic: optional('PAYOUT_SEPA_BIC', bic, 'none', 'The BIC of the bank of PAYOUT_SEPA_IBAN.'),
  payoutSepaCutOff: setting(
    'PAYOUT_SEPA_CUT_OFF',
    timeOfDay,
    '15:00',
    'When, on business days, a SEPA file is made of what waits; time of Brussels.',
  ),
  payoutSepaPaidAfterDays: setting(
    'PAYOUT_SEPA_PAID_AFTER_DAYS',
    integer(1, 60),
    '2',
    'Business days without a return after which a SEPA payout counts as paid.',
  ),
  payoutAchRoutingNumber: optional(
    'PAYOUT_ACH_ROUTING_NUMBER',
    routingNumber,
    'none',
    'The bank that originates ACH payouts; NACHA files need it.',
  ),
  payoutAchCompanyId: optional(
    'PAYOUT_ACH_COMPANY_ID',
    text('10 letters and digits', /^[A-Z0-9]{10}$/),
    'none',
    'The number that this bank has given to the company; NACHA files need it.',
  ),
  payoutAchBankName: setting(
    'PAYOUT_ACH_BANK_NAME',
    text('1 to 23 letters, digits, spaces and .,&-', /^[A-Za-z0-9][A-Za-z0-9 .,&-]{0,22}$/),
    'ODFI',
    'The name of this bank, as NACHA files have it.',
  ),
  payoutAchCutOff: setting(
    'PAYOUT_ACH_CUT_OFF',
    timeOfDay,
    '16:00',
    'When, on business days, a NACHA file is made of what waits; time of New York.',
  ),
  payoutAchPaidAfterDays: setting(
    'PAYOUT_ACH_PAID_AFTER_DAYS',
    integer(1, 60),
    '3',
    'Business days without a return after which an ACH payout counts as paid.',
  ),
  kycAgeMinYears: setting(
    'KYC_AGE_MIN_YEARS',
    integer(1, 99),
    '18',
    'How old a person must be to be approved.',
  ),
  kycAutoApprove: setting(
    'KYC_AUTO_APPROVE',
    bool,
    'false',
    'Approves a KYC case without an operator where all checks pass; needs SANCTIONS_FILE.',
  ),
  kycAutoReject: setting(
    'KYC_AUTO_REJECT',
    bool,
    'true',
    'Rejects a KYC case at once that is wrong beyond doubt, such as one with an expired document.',
  ),
  kycLimits: setting(
    'KYC_LIMITS',
    listOf(kycLimit, 100),
    '1=10000/50000/100000',
    'What each KYC level may be paid out in a payment, 24 hours and 30 days, such as 1=10000/50000/100000,2:EUR=20000/80000/200000.',
  ),
  sanctionsFile: optional(
    'SANCTIONS_FILE',
    filePath,
    'none',
    'The sanctions list that names are checked against: sdn.csv of OFAC, or a file of that form.',
  ),
  sanctionsAltFile: optional(
    'SANCTIONS_ALT_FILE',
    filePath,
    'none',
    'Other names of the entries of SANCTIONS_FILE: alt.csv of OFAC.',
  ),
  sanctionsScoreMin: setting(
    'SANCTIONS_SCORE_MIN',
    integer(50, 100),
    '88',
    'How alike a name and one of the sanctions list are, of 100, from which on a person must look.',
  ),
  newsFeeds: optional(
    'NEWS_FEEDS',
    listOf(url('https', 'http'), 100),
    'none',
    'RSS and Atom feeds to read news from, separated by commas.',
  ),
  chainEthereumTokens: optional(
    'CHAIN_ETHEREUM_TOKENS',
    listOf(evmToken, 50),
    'none',
    'ERC-20 tokens that wallets take, separated by commas, each as CODE:contract:decimals.',
  ),
  chainEthereumConfirmations: setting(
    'CHAIN_ETHEREUM_CONFIRMATIONS',
    integer(1, 500),
    '12',
    'Blocks after which deposits are credited and transfers are completed.',
  ),
  chainEthereumDepositMin: setting(
    'CHAIN_ETHEREUM_DEPOSIT_MIN',
    listOf(assetAmount, 100),
    'ETH:0.001',
    'What must have arrived at an address before it is credited, separated by commas, such as ETH:0.001,USDC:1.',
  ),
  chainEthereumPollMs: setting(
    'CHAIN_ETHEREUM_POLL_MS',
    integer(10, 600_000),
    '4000',
    'How often ethereum is looked at, in milliseconds.',
  ),
  chainEthereumReplaceAfterSeconds: setting(
    'CHAIN_ETHEREUM_REPLACE_AFTER_SECONDS',
    integer(0, 86_400),
    '180',
    'How long a transaction may wait for its block before it is replaced by one that pays more.',
  ),
  chainEthereumMaxFeeGwei: setting(
    'CHAIN_ETHEREUM_MAX_FEE_GWEI',
    integer(1, 1_000_000),
    '500',
    'The most that a transaction offers for each unit of gas.',
  ),
  chainEthereumStartBlock: optional(
    'CHAIN_ETHEREUM_START_BLOCK',
    integer(0, 9_999_999_999),
    'the newest at the first start',
    'The first block to look for deposits in; read at the first start only.',
  ),
  bitcoinNetwork: setting(
    'BITCOIN_NETWORK',
    oneOf('mainnet', 'testnet', 'signet', 'regtest'),
    'mainnet',
    'The network that bitcoin addresses are for.',
  ),
  webhookAllowPrivate: setting(
    'WEBHOOK_ALLOW_PRIVATE',
    bool,
    'false',
    'Lets webhooks go to private addresses and over plain http; refused in production.',
  ),
};

/** `CHAIN_ETHEREUM_RPC_URL` and its like: one variable a chain, so not a row that is read by name. */
const chainRpcUrlName = /^CHAIN_([A-Z0-9_]+)_RPC_URL$/;
const chainRpcUrlReader = url('https', 'http', 'wss', 'ws');

/** The chain connector of the service speaks HTTP; the other chains' addresses are for plugins to read. */
const ethereumRpcUrlReader = url('https', 'http');
const UNITS_PER_GWEI = 10n ** 9n;

/** All settings, in the order of the README's table. */
export const SETTINGS: readonly SettingDescription[] = [
  ...Object.values(settings),
  {
    name: 'CHAIN_<NAME>_RPC_URL',
    default: 'none',
    meaning:
      'Node of a chain, such as CHAIN_ETHEREUM_RPC_URL; without one its on-chain routes are unavailable.',
  },
].map(({ name, default: fallback, meaning }) => ({ name, default: fallback, meaning }));

/**
 * Reads and checks every setting. This file is the only one that looks at the environment.
 * @throws ConfigError with one line that names the first setting that is wrong.
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const read = <T>(one: Setting<T>): T => one.read(env[one.name]);

  refuseRedis(read(settings.redisUrl));
  const nodeEnv = read(settings.nodeEnv);
  const hostName = read(settings.host);
  const port = read(settings.port);
  const metricsPort = read(settings.metricsPort);
  const databaseUrl = read(settings.databaseUrl);
  const seedDemo = read(settings.seedDemo);
  const config: Config = {
    nodeEnv,
    host: hostName,
    port,
    publicUrl: read(settings.publicUrl) ?? addressOf(hostName, port),
    databaseUrl,
    dataDir: resolve(read(settings.dataDir)),
    seedDemo: seedDemo ?? (databaseUrl === undefined && nodeEnv !== 'production'),
    demoDataAccepted: seedDemo === true,
    bootstrapAdmin: readBootstrapAdmin(
      read(settings.bootstrapAdminUsername),
      read(settings.bootstrapAdminPasswordFile),
    ),
    keystorePassphrase: readKeystorePassphrase(
      read(settings.keystorePassphrase),
      read(settings.keystorePassphraseFile),
    ),
    rateLimits: read(settings.rateLimits),
    corsOrigins: read(settings.corsOrigins) ?? [],
    trustProxy: read(settings.trustProxy),
    metricsPort,
    logLevel: read(settings.logLevel),
    settlementFourEyes: read(settings.settlementFourEyes),
    walletApprovalAbove: new Map(read(settings.walletApprovalAbove)),
    walletDailyLimit: new Map(read(settings.walletDailyLimit)),
    walletDestinationWaitMs: read(settings.walletDestinationWaitSeconds) * 1_000,
    quoteLifetimeMs: read(settings.quoteLifetimeMs),
    kyc: {
      ageMinYears: read(settings.kycAgeMinYears),
      autoApprove: read(settings.kycAutoApprove),
      autoReject: read(settings.kycAutoReject),
      limits: read(settings.kycLimits),
      sanctionsFile: read(settings.sanctionsFile),
      sanctionsAltFile: read(settings.sanctionsAltFile),
      sanctionsScoreMin: read(settings.sanctionsScoreMin),
    },
    newsFeeds: read(settings.newsFeeds) ?? [],
    chainRpcUrls: readChainRpcUrls(env),
    chainEthereum: {
      tokens: readTokens(read(settings.chainEthereumTokens) ?? []),
      confirmations: read(settings.chainEthereumConfirmations),
      depositMinimums: new Map(read(settings.chainEthereumDepositMin)),
      pollMs: read(settings.chainEthereumPollMs),
      replaceAfterMs: read(settings.chainEthereumReplaceAfterSeconds) * 1_000,
      maxFeePerGas: BigInt(read(settings.chainEthereumMaxFeeGwei)) * UNITS_PER_GWEI,
      startBlock: read(settings.chainEthereumStartBlock),
    },
    payouts: {
      approvalAbove: new Map(read(settings.payoutApprovalAbove)),
      fees: new Map(read(settings.payoutFees)),
      holderNameCheck: read(settings.payoutHolderNameCheck),
      companyName: read(settings.payoutCompanyName),
      sepa: {
        iban: read(settings.payoutSepaIban),
        bic: read(settings.payoutSepaBic),
        cutOffMinutes: read(settings.payoutSepaCutOff),
        paidAfterDays: read(settings.payoutSepaPaidAfterDays),
      },
      ach: {
        routingNumber: read(settings.payoutAchRoutingNumber),
        companyId: read(settings.payoutAchCompanyId),
        bankName: read(settings.payoutAchBankName),
        cutOffMinutes: read(settings.payoutAchCutOff),
        paidAfterDays: read(settings.payoutAchPaidAfterDays),
      },
    },
    bitcoinNetwork: read(settings.bitcoinNetwork),
    webhookAllowPrivate: read(settings.webhookAllowPrivate),
  };
  refuseContradictions(config);
  return config;
}

/**
 * Completes `publicUrl` once the server listens: with port 0 and no `PUBLIC_URL` nobody knows it sooner.
 * It writes to the object that was injected everywhere, so read `config.publicUrl` when it is needed and
 * keep no copy. Does nothing where the address was known from the start.
 */
export function settlePublicUrl(config: Config, listeningPort: number): void {
  if (config.publicUrl !== addressOf(config.host, 0)) return;
  (config as { publicUrl: string }).publicUrl = addressOf(config.host, listeningPort);
}

/**
 * Why the service must not run on a database that holds demo data, whose passwords everybody knows;
 * `undefined` when it may. Asked at start for data to be seeded, and again for data found in the database.
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

/** Whether only this machine can reach the host. */
export function isLoopback(hostName: string): boolean {
  return hostName === 'localhost' || hostName === '::1' || /^127(\.\d{1,3}){3}$/.test(hostName);
}

function addressOf(hostName: string, port: number): string {
  // A wildcard is where to listen, not where anybody could go to.
  const reachable = hostName === '0.0.0.0' || hostName === '::' ? 'localhost' : hostName;
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}

function refuseRedis(redisUrl: string | undefined): void {
  if (redisUrl !== undefined) {
    throw new ConfigError('REDIS_URL', 'must be unset: more than one serving process is not supported yet.');
  }
}

function refuseContradictions(config: Config): void {
  if (config.nodeEnv === 'production' && config.demoDataAccepted) {
    throw new ConfigError('SEED_DEMO', 'must not be true when NODE_ENV is production.');
  }
  const refusal = config.seedDemo ? demoDataRefusal(config) : undefined;
  if (refusal !== undefined) throw refusal;
  if (config.nodeEnv === 'production' && config.webhookAllowPrivate) {
    throw new ConfigError('WEBHOOK_ALLOW_PRIVATE', 'must not be true when NODE_ENV is production.');
  }
  if (config.kyc.autoApprove && config.kyc.sanctionsFile === undefined) {
    throw new ConfigError('KYC_AUTO_APPROVE', 'must not be true without SANCTIONS_FILE.');
  }
  if (config.kyc.sanctionsAltFile !== undefined && config.kyc.sanctionsFile === undefined) {
    throw new ConfigError('SANCTIONS_ALT_FILE', 'must be set together with SANCTIONS_FILE.');
  }
  if (config.metricsPort !== undefined && config.metricsPort !== 0 && config.metricsPort === config.port) {
    throw new ConfigError('METRICS_PORT', 'must be another port than PORT.');
  }
}

function readBootstrapAdmin(
  username: string | undefined,
  passwordFile: string | undefined,
): Config['bootstrapAdmin'] {
  if (username === undefined && passwordFile === undefined) return undefined;
  if (username === undefined) {
    throw new ConfigError(
      'BOOTSTRAP_ADMIN_USERNAME',
      'must be set together with BOOTSTRAP_ADMIN_PASSWORD_FILE.',
    );
  }
  if (passwordFile === undefined) {
    throw new ConfigError(
      'BOOTSTRAP_ADMIN_PASSWORD_FILE',
      'must be set together with BOOTSTRAP_ADMIN_USERNAME.',
    );
  }
  return { username, password: readSecret('BOOTSTRAP_ADMIN_PASSWORD_FILE', passwordFile) };
}

function readKeystorePassphrase(
  passphrase: string | undefined,
  passphraseFile: string | undefined,
): string | undefined {
  if (passphraseFile === undefined) return passphrase;
  if (passphrase !== undefined) {
    throw new ConfigError('KEYSTORE_PASSPHRASE_FILE', 'must not be set together with KEYSTORE_PASSPHRASE.');
  }
  return readSecret('KEYSTORE_PASSPHRASE_FILE', passphraseFile);
}

/** The content of a secret's file, without the line's end that editors add. */
export function readSecret(name: string, path: string): string {
  let secret: string;
  try {
    secret = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new ConfigError(name, `must be the path of a file that can be read (${reason}).`, { cause: error });
  }
  if (secret === '') throw new ConfigError(name, 'must be the path of a file that is not empty.');
  return secret;
}

function readChainRpcUrls(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const urls: Record<string, string> = {};
  for (const [name, raw] of Object.entries(env)) {
    const chain = chainRpcUrlName.exec(name)?.[1];
    if (chain === undefined || !raw) continue;
    urls[chain.toLowerCase()] = parse(
      name,
      chain === 'ETHEREUM' ? ethereumRpcUrlReader : chainRpcUrlReader,
      raw,
    );
  }
  return urls;
}

/** One asset is one contract: money of two of them under one name would not be the same money. */
function readTokens(tokens: readonly EvmToken[]): readonly EvmToken[] {
  const codes = new Set(tokens.map(({ code }) => code));
  const contracts = new Set(tokens.map(({ contract }) => contract));
  if (codes.size < tokens.length || contracts.size < tokens.length) {
    throw new ConfigError('CHAIN_ETHEREUM_TOKENS', 'must name each code and each contract once.');
  }
  return tokens;
}
