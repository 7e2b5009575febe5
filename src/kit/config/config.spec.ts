import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError, SETTINGS, demoDataRefusal, loadConfig } from './config.js';
import { ReadEnvironment } from './read-environment.js';

describe('loadConfig', () => {
  let folder: string;
  const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tradepost-config-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('needs nothing set: embedded database, loopback, demo data', () => {
    expect(loadConfig({})).toMatchObject({
      nodeEnv: 'development',
      host: '127.0.0.1',
      port: 3000,
      publicUrl: 'http://127.0.0.1:3000',
      databaseUrl: undefined,
      databaseSyncStandby: 'off',
      databaseReadUrl: undefined,
      dataDir: join(process.cwd(), 'data'),
      journalArchive: join(process.cwd(), 'data/journal-archive'),
      seedDemo: true,
      demoDataAccepted: false,
      bootstrapAdmins: [],
      fourEyes: false,
      operatorsNeedSecondFactor: false,
      rateLimits: 'on',
      corsOrigins: [],
      trustProxy: 0,
      redisUrl: undefined,
      metricsPort: undefined,
      logLevel: 'info',
      logFormat: 'auto',
      passwordMemoryKib: 19_456,
      pluginNames: [],
      ownerWaitingMax: 512,
      retention: { logsDays: undefined },
      webhookAllowPrivate: false,
    });
  });

  it('takes an empty variable for an unset one, as compose files leave them', () => {
    const empty = Object.fromEntries(SETTINGS.map(({ name }) => [name, '']));
    expect(loadConfig(empty)).toEqual(loadConfig({}));
  });

  it('reads what is set', () => {
    expect(
      loadConfig({
        NODE_ENV: 'test',
        HOST: '::1',
        PORT: '8080',
        DATABASE_URL: 'postgres://u:p@db:5432/x',
        DATABASE_SYNC_STANDBY: 'required',
        DATABASE_READ_URL: 'postgres://u:p@db2,db3/x',
        DATA_DIR: '/srv/tradepost',
        JOURNAL_ARCHIVE: '/mnt/archive',
        CORS_ORIGINS: 'https://a.example, http://localhost:5173',
        TRUST_PROXY: '2',
        METRICS_PORT: '9100',
        LOG_LEVEL: 'debug',
        LOG_FORMAT: 'json',
        PASSWORD_MEMORY_KIB: '65536',
        PLUGINS: '@acme/desk-limits, ./my-plugin.js',
        RATE_LIMITS: 'off',
        FOUR_EYES: 'on',
        OPERATOR_SECOND_FACTOR: 'on',
        WEBHOOK_ALLOW_PRIVATE: 'true',
        KEYSTORE_PASSPHRASE: ' with spaces ',
        BOOTSTRAP_ADMIN_USERNAME: 'root,second',
        BOOTSTRAP_ADMIN_PASSWORD_FILE: `${file('admin', 'secret\n')}, ${file('second', 'other')}`,
      }),
    ).toEqual({
      nodeEnv: 'test',
      host: '::1',
      port: 8080,
      publicUrl: 'http://[::1]:8080',
      databaseUrl: 'postgres://u:p@db:5432/x',
      databaseSyncStandby: 'required',
      databaseReadUrl: 'postgres://u:p@db2,db3/x',
      dataDir: '/srv/tradepost',
      journalArchive: '/mnt/archive',
      seedDemo: false,
      demoDataAccepted: false,
      bootstrapAdmins: [
        { username: 'root', password: 'secret' },
        { username: 'second', password: 'other' },
      ],
      fourEyes: true,
      operatorsNeedSecondFactor: true,
      keystorePassphrase: ' with spaces ',
      rateLimits: 'off',
      corsOrigins: ['https://a.example', 'http://localhost:5173'],
      trustProxy: 2,
      metricsPort: 9100,
      logLevel: 'debug',
      logFormat: 'json',
      passwordMemoryKib: 65_536,
      pluginNames: ['@acme/desk-limits', './my-plugin.js'],
      ownerWaitingMax: 512,
      mail: loadConfig({}).mail,
      outgoing: { internalHosts: [], caFile: undefined },
      retention: { logsDays: undefined },
      texts: { brandingDir: undefined, defaultLanguage: 'en' },
      environment: expect.any(ReadEnvironment),
      webhookAllowPrivate: true,
    });
  });

  it('reads the passphrase from its file', () => {
    const KEYSTORE_PASSPHRASE_FILE = file('phrase', 'a b c\r\n');
    expect(loadConfig({ KEYSTORE_PASSPHRASE_FILE }).keystorePassphrase).toBe('a b c');
  });

  it.each([
    'redis://localhost',
    'redis://:secret@10.0.0.7:6380/2',
    'rediss://user:p%40ss@redis.example.com:6379/',
    'redis://[::1]:6379',
  ])('takes %s for Redis as it is', (redisUrl) => {
    expect(loadConfig({ REDIS_URL: redisUrl }).redisUrl).toBe(redisUrl);
  });

  const refusals: readonly [setting: string, env: NodeJS.ProcessEnv][] = [
    ['NODE_ENV', { NODE_ENV: 'prodution' }],
    ['HOST', { HOST: '300.1.1.1' }],
    ['HOST', { HOST: 'http://localhost' }],
    ['PORT', { PORT: '65536' }],
    ['PORT', { PORT: '-1' }],
    ['PORT', { PORT: '0x10' }],
    ['PORT', { PORT: '3000 ' }],
    ['PORT', { PORT: '１' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'example.com' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://example.com/?a=b' }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://localhost/x' }],
    ['DATABASE_READ_URL', { DATABASE_READ_URL: 'postgres://db/x' }],
    ['DATABASE_READ_URL', { DATABASE_READ_URL: 'mysql://db/x', DATABASE_URL: 'postgres://db/x' }],
    ['DATABASE_SYNC_STANDBY', { DATABASE_SYNC_STANDBY: 'required' }],
    ['DATABASE_SYNC_STANDBY', { DATABASE_SYNC_STANDBY: 'on', DATABASE_URL: 'postgres://db/x' }],
    ['DATA_DIR', { DATA_DIR: 'a\0b' }],
    ['JOURNAL_ARCHIVE', { JOURNAL_ARCHIVE: 'a\0b' }],
    ['REDIS_URL', { REDIS_URL: 'localhost:6379' }],
    ['REDIS_URL', { REDIS_URL: 'http://localhost:6379' }],
    ['REDIS_URL', { REDIS_URL: 'redis://' }],
    ['REDIS_URL', { REDIS_URL: 'redis://localhost/first' }],
    ['REDIS_URL', { REDIS_URL: 'redis://localhost?db=1' }],
    ['REDIS_URL', { REDIS_URL: 'redis://:%zz@localhost' }],
    ['SEED_DEMO', { SEED_DEMO: 'yes' }],
    ['SEED_DEMO', { SEED_DEMO: 'true', NODE_ENV: 'production' }],
    ['HOST', { HOST: '0.0.0.0' }],
    ['RATE_LIMITS', { RATE_LIMITS: 'false' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: '*' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'https://a.example/path' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'https://a.example,' }],
    ['TRUST_PROXY', { TRUST_PROXY: 'true' }],
    ['METRICS_PORT', { METRICS_PORT: '3000' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'verbose' }],
    ['LOG_FORMAT', { LOG_FORMAT: 'pretty' }],
    ['OWNER_WAITING_MAX', { OWNER_WAITING_MAX: '0' }],
    // Who knows a password counts for 30 days.
    ['RETENTION_LOGS_DAYS', { RETENTION_LOGS_DAYS: '29' }],
    ['WEBHOOK_ALLOW_PRIVATE', { WEBHOOK_ALLOW_PRIVATE: '1' }],
    ['WEBHOOK_ALLOW_PRIVATE', { WEBHOOK_ALLOW_PRIVATE: 'true', NODE_ENV: 'production' }],
    ['PASSWORD_MEMORY_KIB', { PASSWORD_MEMORY_KIB: '7' }],
    ['PASSWORD_MEMORY_KIB', { PASSWORD_MEMORY_KIB: '19455', NODE_ENV: 'production' }],
    ['BOOTSTRAP_ADMIN_USERNAME', { BOOTSTRAP_ADMIN_USERNAME: 'a b', BOOTSTRAP_ADMIN_PASSWORD_FILE: '/x' }],
    ['BOOTSTRAP_ADMIN_USERNAME', { BOOTSTRAP_ADMIN_PASSWORD_FILE: '/x' }],
    ['BOOTSTRAP_ADMIN_PASSWORD_FILE', { BOOTSTRAP_ADMIN_USERNAME: 'root' }],
    [
      'BOOTSTRAP_ADMIN_PASSWORD_FILE',
      { BOOTSTRAP_ADMIN_USERNAME: 'root,second', BOOTSTRAP_ADMIN_PASSWORD_FILE: '/x' },
    ],
    [
      'BOOTSTRAP_ADMIN_USERNAME',
      { BOOTSTRAP_ADMIN_USERNAME: 'root,Root', BOOTSTRAP_ADMIN_PASSWORD_FILE: '/x,/y' },
    ],
    ['FOUR_EYES', { FOUR_EYES: 'true' }],
    ['SETTLEMENT_FOUR_EYES', { SETTLEMENT_FOUR_EYES: 'false' }],
    [
      'BOOTSTRAP_ADMIN_PASSWORD_FILE',
      { BOOTSTRAP_ADMIN_USERNAME: 'root', BOOTSTRAP_ADMIN_PASSWORD_FILE: '/no/file' },
    ],
    ['KEYSTORE_PASSPHRASE_FILE', { KEYSTORE_PASSPHRASE_FILE: '/dev/null' }],
    ['KEYSTORE_PASSPHRASE_FILE', { KEYSTORE_PASSPHRASE_FILE: '/x', KEYSTORE_PASSPHRASE: 'y' }],
  ];
  it.each(refusals)('refuses a wrong %s in one line that names it: %j', (setting, env) => {
    const error = catchError(() => loadConfig(env));
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).setting).toBe(setting);
    expect((error as ConfigError).message).toMatch(new RegExp(`^${setting} [^\n]+$`));
  });

  it('keeps what was set out of the line, as it may be a secret', () => {
    const error = catchError(() => loadConfig({ DATABASE_URL: 'user:hunter2@db' })) as Error;
    expect(error.message).not.toContain('hunter2');
  });

  describe('demo data', () => {
    it('are seeded by default into the embedded database only, and never in production', () => {
      expect(loadConfig({}).seedDemo).toBe(true);
      expect(loadConfig({ SEED_DEMO: 'false' }).seedDemo).toBe(false);
      expect(loadConfig({ NODE_ENV: 'production' }).seedDemo).toBe(false);
      expect(loadConfig({ DATABASE_URL: 'postgres://db/x' }).seedDemo).toBe(false);
      expect(loadConfig({ DATABASE_URL: 'postgres://db/x', SEED_DEMO: 'true' }).seedDemo).toBe(true);
    });

    it('are refused where they are found in production or where others can reach them', () => {
      expect(demoDataRefusal(loadConfig({}))).toBeUndefined();
      expect(demoDataRefusal(loadConfig({ NODE_ENV: 'production' }))?.setting).toBe('NODE_ENV');
      expect(demoDataRefusal(loadConfig({ HOST: '10.0.0.1', SEED_DEMO: 'false' }))?.setting).toBe('HOST');
      expect(demoDataRefusal(loadConfig({ HOST: '0.0.0.0', SEED_DEMO: 'true' }))).toBeUndefined();
    });
  });
});

function catchError(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}
