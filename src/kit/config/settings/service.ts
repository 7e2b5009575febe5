import { join, resolve } from 'node:path';
import { addressOf } from '../address.js';
import { databaseReadUrl, databaseUrl } from '../database-hosts.js';
import { baseUrl, bool, days, host, integer, listOf, oneOf, origin, redisUrl, text } from '../readers.js';
import { readSecret } from '../secret-file.js';
import { anyText, filePath, optional, type ReadSetting, setting } from '../setting.js';
import { ConfigError } from '../start-refusal.js';

export type NodeEnvironment = 'development' | 'test' | 'production';
export type LogFormatWanted = 'auto' | 'json' | 'text';
export type LogLevel = 'silent' | 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

export interface BootstrapAdmin {
  readonly username: string;
  readonly password: string;
}

/** Where and how the service runs. */
export interface ServiceConfig {
  readonly nodeEnv: NodeEnvironment;
  readonly host: string;
  /** 0 lets the operating system pick a free one at listen. */
  readonly port: number;
  /**
   * The URL of the service and the issuer of its tokens, without a trailing slash. With port 0 and no `PUBLIC_URL` it
   * ends in `:0` until `settlePublicUrl` sets the port.
   */
  readonly publicUrl: string;
  /** `undefined`: the embedded PostgreSQL under `dataDir`. Contains a password: never log it. */
  readonly databaseUrl: string | undefined;
  /** With `required`, a process leads only while a synchronous standby confirms every commit. */
  readonly databaseSyncStandby: 'off' | 'required';
  /** Standbys for reading history. Contains a password: never log it. */
  readonly databaseReadUrl: string | undefined;
  /** Absolute; need not exist yet. */
  readonly dataDir: string;
  /** Absolute; there is none before the first run of `journal:archive`. */
  readonly journalArchive: string;
  /** `undefined`: a single process. May contain a password: never log it. */
  readonly redisUrl: string | undefined;
  /** Whether to seed demo data at this start unless present. */
  readonly seedDemo: boolean;
  /** Whether `SEED_DEMO=true` was set explicitly: the operator wants demo data even if others can reach the service. */
  readonly demoDataAccepted: boolean;
  /** The first operators, created if there are none. */
  readonly bootstrapAdmins: readonly BootstrapAdmin[];
  /** Whether acts of operators that move money or power take two persons. */
  readonly fourEyes: boolean;
  /** Whether operators who log in are operators only with a second factor. */
  readonly operatorsNeedSecondFactor: boolean;
  readonly keystorePassphrase: string | undefined;
  readonly rateLimits: 'on' | 'off';
  /** Allowed CORS origins; empty allows the same origin only. */
  readonly corsOrigins: readonly string[];
  /** How many proxies stand before the service; 0 ignores `X-Forwarded-For`. */
  readonly trustProxy: number;
  /** A second, loopback-only port on which `/metrics` needs no credential. */
  readonly metricsPort: number | undefined;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormatWanted;
  /** Memory of one argon2id hash of a password, in KiB. */
  readonly passwordMemoryKib: number;
  /** Packages and files that the service loads plugins from. */
  readonly pluginNames: readonly string[];
  /** Groups to start; undefined for all. */
  readonly groups: readonly string[] | undefined;
  /** Requests and messages of one owner that have no answer yet. */
  readonly ownerWaitingMax: number;
  /** Whether webhooks may be delivered to private addresses and over plain http. */
  readonly webhookAllowPrivate: boolean;
  readonly outgoing: {
    /** Hosts with ports, in lower case, that calls of the service's own and of plugins may reach inside. */
    readonly internalHosts: readonly string[];
    /** A file with certificate authorities that are trusted besides the usual ones. */
    readonly caFile: string | undefined;
  };
  readonly retention: {
    /** Of jobs that were given up and the like; undefined for ever. */
    readonly logsDays: number | undefined;
  };
}

const BOOTSTRAP_ADMINS_MAX = 16;

export const serviceSettings = {
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
    'Where clients reach the service; the issuer of its tokens. Passkeys belong to its host name.',
  ),
  databaseUrl: optional(
    'DATABASE_URL',
    databaseUrl,
    'embedded',
    'A PostgreSQL of your own, with its standbys as host1:5432,host2:5432; without it the embedded one under DATA_DIR is started.',
  ),
  databaseSyncStandby: setting(
    'DATABASE_SYNC_STANDBY',
    oneOf('off', 'required'),
    'off',
    'required: lead only while a synchronous standby confirms every commit.',
  ),
  databaseReadUrl: optional(
    'DATABASE_READ_URL',
    databaseReadUrl,
    'the primary',
    'Standbys from which lists of the past are read, as host1:5432,host2:5432: the first that answers and is no older than what callers have seen.',
  ),
  dataDir: setting(
    'DATA_DIR',
    text('the path of a folder', /^[^\0]+$/),
    './data',
    'Folder of the embedded database, of uploaded files, of a passphrase that was made and of the pid file; created if missing.',
  ),
  journalArchive: optional(
    'JOURNAL_ARCHIVE',
    text('the path of a folder', /^[^\0]+$/),
    'DATA_DIR/journal-archive',
    'Folder with what journal:archive has moved out of the table, from which the service makes receipts of old rows.',
  ),
  redisUrl: optional(
    'REDIS_URL',
    redisUrl,
    'one process',
    'Other processes on the same database become replicas: Redis (6 or later) carries wake-ups, forwarded commands and limits, never the truth.',
  ),
  seedDemo: optional(
    'SEED_DEMO',
    bool,
    'true if embedded and not production',
    'Whether to seed demo clients, users, markets and balances; where HOST is not loopback they need true.',
  ),
  bootstrapAdminUsername: optional(
    'BOOTSTRAP_ADMIN_USERNAME',
    listOf(
      text('1 to 64 letters, digits, dots, underscores or hyphens', /^[A-Za-z0-9._-]{1,64}$/),
      BOOTSTRAP_ADMINS_MAX,
    ),
    'none',
    'Names of the first operators, separated by commas, made at a start where there are no others; two, so that they can approve.',
  ),
  bootstrapAdminPasswordFile: optional(
    'BOOTSTRAP_ADMIN_PASSWORD_FILE',
    listOf(filePath, BOOTSTRAP_ADMINS_MAX),
    'none',
    "Files that hold the first operators' passwords, as many, separated by commas.",
  ),
  fourEyes: optional(
    'FOUR_EYES',
    oneOf('on', 'off'),
    'on in production, else off',
    'Whether acts of operators that move money or power take two persons.',
  ),
  operatorSecondFactor: optional(
    'OPERATOR_SECOND_FACTOR',
    oneOf('on', 'off'),
    'on in production, else off',
    'Whether operators need a second factor: without one, their log-ins have no scope `admin`.',
  ),
  passwordMemoryKib: setting(
    'PASSWORD_MEMORY_KIB',
    integer(8, 1_048_576),
    '19456',
    'Memory of one argon2id hash of a password, in KiB; production refuses less than the default.',
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
  logFormat: setting(
    'LOG_FORMAT',
    oneOf('auto', 'json', 'text'),
    'auto',
    'json: one line of JSON each; text: for people; auto: text in a terminal, else json.',
  ),
  plugins: optional(
    'PLUGINS',
    listOf(text('the name of a package or the path of a file', /^[^\0\s]+$/), 100),
    'none',
    'Packages, and files such as ./my-plugin.js, whose default export is a plugin, separated by commas.',
  ),
  groups: optional(
    'GROUPS',
    listOf(text('the name of a group', /^[a-z][a-z-]*$/), 100),
    'all',
    'Groups that the service has, separated by commas, such as pets,store; what all stand on, such as users, is always there.',
  ),
  ownerWaitingMax: setting(
    'OWNER_WAITING_MAX',
    integer(1, 1_000_000),
    '512',
    'Requests and messages of one owner (a person with all users, keys and accounts that the person made, else a network) that may have no answer yet; more are refused (429 `too_many_in_flight`).',
  ),
  webhookAllowPrivate: setting(
    'WEBHOOK_ALLOW_PRIVATE',
    bool,
    'false',
    'Lets webhooks and feeds reach private addresses, and webhooks plain http; refused in production.',
  ),
  outgoingInternalHosts: optional(
    'OUTGOING_INTERNAL_HOSTS',
    listOf(
      text(
        'a host and a port such as bank.internal:8443',
        /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9][A-Za-z0-9.-]{0,252}):\d{1,5}$/,
      ),
      100,
    ),
    'none',
    'Hosts with ports that plugins may call although they are not on the public Internet, such as bank.internal:8443; never by addresses that users give.',
  ),
  outgoingCaFile: optional(
    'OUTGOING_CA_FILE',
    filePath,
    'none',
    'A file in PEM with certificate authorities that calls to others trust besides the usual ones.',
  ),
  retentionLogsDays: optional(
    'RETENTION_LOGS_DAYS',
    days(30),
    'kept for ever',
    'Days after which background jobs that were given up, and notes of reset passwords, are deleted.',
  ),
};

export function readServiceConfig(read: ReadSetting): ServiceConfig {
  const nodeEnv = read(serviceSettings.nodeEnv);
  const hostName = read(serviceSettings.host);
  const port = read(serviceSettings.port);
  const metricsPort = read(serviceSettings.metricsPort);
  if (metricsPort !== undefined && metricsPort !== 0 && metricsPort === port) {
    throw new ConfigError('METRICS_PORT', 'must be another port than PORT.');
  }
  const databaseUrl = read(serviceSettings.databaseUrl);
  const dataDir = resolve(read(serviceSettings.dataDir));
  const seedDemo = read(serviceSettings.seedDemo);
  const onInProduction = nodeEnv === 'production' ? 'on' : 'off';
  return {
    nodeEnv,
    host: hostName,
    port,
    publicUrl: read(serviceSettings.publicUrl) ?? addressOf(hostName, port),
    databaseUrl,
    databaseSyncStandby: readSyncStandby(read(serviceSettings.databaseSyncStandby), databaseUrl),
    databaseReadUrl: readReadUrl(read(serviceSettings.databaseReadUrl), databaseUrl),
    dataDir,
    journalArchive: resolve(read(serviceSettings.journalArchive) ?? join(dataDir, 'journal-archive')),
    redisUrl: read(serviceSettings.redisUrl),
    seedDemo: seedDemo ?? (databaseUrl === undefined && nodeEnv !== 'production'),
    demoDataAccepted: seedDemo === true,
    bootstrapAdmins: readBootstrapAdmins(
      read(serviceSettings.bootstrapAdminUsername) ?? [],
      read(serviceSettings.bootstrapAdminPasswordFile) ?? [],
    ),
    fourEyes: (read(serviceSettings.fourEyes) ?? onInProduction) === 'on',
    passwordMemoryKib: read(serviceSettings.passwordMemoryKib),
    operatorsNeedSecondFactor: (read(serviceSettings.operatorSecondFactor) ?? onInProduction) === 'on',
    keystorePassphrase: readKeystorePassphrase(
      read(serviceSettings.keystorePassphrase),
      read(serviceSettings.keystorePassphraseFile),
    ),
    rateLimits: read(serviceSettings.rateLimits),
    corsOrigins: read(serviceSettings.corsOrigins) ?? [],
    trustProxy: read(serviceSettings.trustProxy),
    metricsPort,
    logLevel: read(serviceSettings.logLevel),
    logFormat: read(serviceSettings.logFormat),
    pluginNames: read(serviceSettings.plugins) ?? [],
    groups: read(serviceSettings.groups),
    ownerWaitingMax: read(serviceSettings.ownerWaitingMax),
    webhookAllowPrivate: read(serviceSettings.webhookAllowPrivate),
    outgoing: {
      internalHosts: (read(serviceSettings.outgoingInternalHosts) ?? []).map((each) => each.toLowerCase()),
      caFile: read(serviceSettings.outgoingCaFile),
    },
    retention: { logsDays: read(serviceSettings.retentionLogsDays) },
  };
}

function readSyncStandby(wanted: 'off' | 'required', url: string | undefined): 'off' | 'required' {
  if (wanted === 'required' && url === undefined) {
    throw new ConfigError(
      'DATABASE_SYNC_STANDBY',
      'must be off with the embedded database, which has no standby: set DATABASE_URL.',
    );
  }
  return wanted;
}

function readReadUrl(readUrl: string | undefined, url: string | undefined): string | undefined {
  if (readUrl !== undefined && url === undefined) {
    throw new ConfigError(
      'DATABASE_READ_URL',
      'must be left out with the embedded database, which has no standby: set DATABASE_URL.',
    );
  }
  return readUrl;
}

function readBootstrapAdmins(
  usernames: readonly string[],
  passwordFiles: readonly string[],
): readonly BootstrapAdmin[] {
  if (usernames.length < passwordFiles.length) {
    throw new ConfigError(
      'BOOTSTRAP_ADMIN_USERNAME',
      'must be set together with BOOTSTRAP_ADMIN_PASSWORD_FILE, with as many names as files.',
    );
  }
  if (passwordFiles.length < usernames.length) {
    throw new ConfigError(
      'BOOTSTRAP_ADMIN_PASSWORD_FILE',
      'must be set together with BOOTSTRAP_ADMIN_USERNAME, with as many files as names.',
    );
  }
  if (new Set(usernames.map((username) => username.toLowerCase())).size < usernames.length) {
    throw new ConfigError('BOOTSTRAP_ADMIN_USERNAME', 'must not have a name twice.');
  }
  return usernames.map((username, place) => ({
    username,
    password: readSecret('BOOTSTRAP_ADMIN_PASSWORD_FILE', passwordFiles[place]!),
  }));
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
