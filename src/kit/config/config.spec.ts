import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError, SETTINGS, demoDataRefusal, loadConfig } from './config.js';

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
      uniquePets: false,
      pluginNames: [],
      walletApprovalAbove: new Map(),
      walletDailyLimit: new Map(),
      walletDestinationWaitMs: 0,
      quoteLifetimeMs: 10_000,
      kyc: {
        ageMinYears: 18,
        autoApprove: false,
        autoReject: true,
        limits: [
          {
            level: 1,
            currency: null,
            perPayout: 10_000n * 10n ** 18n,
            perDay: 50_000n * 10n ** 18n,
            perMonth: 100_000n * 10n ** 18n,
          },
        ],
        sanctionsFile: undefined,
        sanctionsAltFile: undefined,
        sanctionsScoreMin: 88,
      },
      newsFeeds: [],
      chainRpcUrls: {},
      chainEthereum: {
        tokens: [],
        confirmations: 12,
        depositMinimums: new Map([['ETH', 1_000_000_000_000_000n]]),
        pollMs: 4_000,
        replaceAfterMs: 180_000,
        maxFeePerGas: 500_000_000_000n,
        startBlock: undefined,
      },
      bitcoinNetwork: 'mainnet',
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
        UNIQUE_PETS: 'true',
        PLUGINS: '@acme/desk-limits, ./my-plugin.js',
        RATE_LIMITS: 'off',
        FOUR_EYES: 'on',
        OPERATOR_SECOND_FACTOR: 'on',
        WALLET_APPROVAL_ABOVE: 'USDC:10000, ETH:0.5',
        WALLET_DAILY_LIMIT: 'ETH:20',
        WALLET_DESTINATION_WAIT_SECONDS: '60',
        QUOTE_LIFETIME_MS: '2500',
        KYC_AGE_MIN_YEARS: '21',
        KYC_AUTO_APPROVE: 'true',
        KYC_AUTO_REJECT: 'false',
        KYC_LIMITS: '2:EUR=1/2/3.5',
        SANCTIONS_FILE: '/srv/sdn.csv',
        SANCTIONS_ALT_FILE: '/srv/alt.csv',
        SANCTIONS_SCORE_MIN: '95',
        PAYOUT_APPROVAL_ABOVE: 'EUR:250',
        PAYOUT_FEES: 'USD:0.25',
        PAYOUT_HOLDER_NAME_CHECK: 'refuse',
        PAYOUT_COMPANY_NAME: 'Tradepost (Example) Ltd.',
        PAYOUT_SEPA_IBAN: 'DE89 3704 0044 0532 0130 00',
        PAYOUT_SEPA_BIC: 'cobadeffxxx',
        PAYOUT_SEPA_CUT_OFF: '09:30',
        PAYOUT_SEPA_PAID_AFTER_DAYS: '5',
        PAYOUT_ACH_ROUTING_NUMBER: '021000021',
        PAYOUT_ACH_COMPANY_ID: '1234567890',
        PAYOUT_ACH_BANK_NAME: 'JPMORGAN CHASE',
        PAYOUT_ACH_CUT_OFF: '23:59',
        PAYOUT_ACH_PAID_AFTER_DAYS: '4',
        NEWS_FEEDS: 'https://news.example/rss?x=1,http://other.example/atom',
        CHAIN_ETHEREUM_RPC_URL: 'https://node.example/key',
        CHAIN_SOLANA_RPC_URL: 'wss://sol.example',
        CHAIN_ETHEREUM_TOKENS: 'USDC:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48:6',
        CHAIN_ETHEREUM_CONFIRMATIONS: '3',
        CHAIN_ETHEREUM_DEPOSIT_MIN: 'ETH:0.01,USDC:5',
        CHAIN_ETHEREUM_POLL_MS: '500',
        CHAIN_ETHEREUM_REPLACE_AFTER_SECONDS: '60',
        CHAIN_ETHEREUM_MAX_FEE_GWEI: '90',
        CHAIN_ETHEREUM_START_BLOCK: '21000000',
        BITCOIN_NETWORK: 'regtest',
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
      uniquePets: true,
      pluginNames: ['@acme/desk-limits', './my-plugin.js'],
      walletApprovalAbove: new Map([
        ['USDC', 10_000n * 10n ** 18n],
        ['ETH', 5n * 10n ** 17n],
      ]),
      walletDailyLimit: new Map([['ETH', 20n * 10n ** 18n]]),
      walletDestinationWaitMs: 60_000,
      quoteLifetimeMs: 2_500,
      openOrdersMax: 10_000,
      ownerWaitingMax: 512,
      openStopsMax: 200,
      ownerOpenOrdersMax: 20_000,
      ownerOpenStopsMax: 1_000,
      kyc: {
        ageMinYears: 21,
        autoApprove: true,
        autoReject: false,
        limits: [
          {
            level: 2,
            currency: 'EUR',
            perPayout: 10n ** 18n,
            perDay: 2n * 10n ** 18n,
            perMonth: 35n * 10n ** 17n,
          },
        ],
        sanctionsFile: '/srv/sdn.csv',
        sanctionsAltFile: '/srv/alt.csv',
        sanctionsScoreMin: 95,
      },
      mail: loadConfig({}).mail,
      newsFeeds: ['https://news.example/rss?x=1', 'http://other.example/atom'],
      chainRpcUrls: { ethereum: 'https://node.example/key', solana: 'wss://sol.example/' },
      chainEthereum: {
        tokens: [{ code: 'USDC', contract: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', decimals: 6 }],
        confirmations: 3,
        depositMinimums: new Map([
          ['ETH', 10_000_000_000_000_000n],
          ['USDC', 5_000_000_000_000_000_000n],
        ]),
        pollMs: 500,
        replaceAfterMs: 60_000,
        maxFeePerGas: 90_000_000_000n,
        startBlock: 21_000_000,
      },
      payouts: {
        approvalAbove: new Map([['EUR', 250n * 10n ** 18n]]),
        fees: new Map([['USD', 25n * 10n ** 16n]]),
        holderNameCheck: 'refuse',
        companyName: 'Tradepost (Example) Ltd.',
        sepa: {
          iban: 'DE89370400440532013000',
          bic: 'COBADEFFXXX',
          cutOffMinutes: 570,
          paidAfterDays: 5,
        },
        ach: {
          routingNumber: '021000021',
          companyId: '1234567890',
          bankName: 'JPMORGAN CHASE',
          cutOffMinutes: 1_439,
          paidAfterDays: 4,
        },
      },
      bitcoinNetwork: 'regtest',
      retention: loadConfig({}).retention,
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
    ['WALLET_APPROVAL_ABOVE', { WALLET_APPROVAL_ABOVE: 'ETH' }],
    ['KYC_AGE_MIN_YEARS', { KYC_AGE_MIN_YEARS: '0' }],
    ['KYC_AUTO_APPROVE', { KYC_AUTO_APPROVE: 'true' }],
    ['KYC_LIMITS', { KYC_LIMITS: '1=10000' }],
    ['KYC_LIMITS', { KYC_LIMITS: '0=1/2/3' }],
    ['KYC_LIMITS', { KYC_LIMITS: '1=-1/2/3' }],
    ['SANCTIONS_ALT_FILE', { SANCTIONS_ALT_FILE: '/srv/alt.csv' }],
    ['SANCTIONS_SCORE_MIN', { SANCTIONS_SCORE_MIN: '49' }],
    ['WALLET_APPROVAL_ABOVE', { WALLET_APPROVAL_ABOVE: 'ETH:-1' }],
    ['WALLET_DAILY_LIMIT', { WALLET_DAILY_LIMIT: 'eth:1' }],
    ['WALLET_DESTINATION_WAIT_SECONDS', { WALLET_DESTINATION_WAIT_SECONDS: '1.5' }],
    ['PAYOUT_APPROVAL_ABOVE', { PAYOUT_APPROVAL_ABOVE: '1000' }],
    ['PAYOUT_COMPANY_NAME', { PAYOUT_COMPANY_NAME: '=cmd' }],
    ['PAYOUT_SEPA_IBAN', { PAYOUT_SEPA_IBAN: 'DE89370400440532013001' }],
    ['PAYOUT_SEPA_BIC', { PAYOUT_SEPA_BIC: 'COBADE' }],
    ['PAYOUT_SEPA_CUT_OFF', { PAYOUT_SEPA_CUT_OFF: '24:00' }],
    ['PAYOUT_ACH_ROUTING_NUMBER', { PAYOUT_ACH_ROUTING_NUMBER: '021000022' }],
    ['PAYOUT_ACH_COMPANY_ID', { PAYOUT_ACH_COMPANY_ID: '123' }],
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
    ['NEWS_FEEDS', { NEWS_FEEDS: 'ftp://feed.example' }],
    ['CHAIN_ETHEREUM_RPC_URL', { CHAIN_ETHEREUM_RPC_URL: 'localhost:8545' }],
    ['CHAIN_ETHEREUM_RPC_URL', { CHAIN_ETHEREUM_RPC_URL: 'wss://node.example' }],
    ['CHAIN_ETHEREUM_TOKENS', { CHAIN_ETHEREUM_TOKENS: 'USDC' }],
    // The checksum is wrong.
    ['CHAIN_ETHEREUM_TOKENS', { CHAIN_ETHEREUM_TOKENS: 'USDC:0xA0B86991c6218b36c1d19D4a2e9Eb0cE3606eB48:6' }],
    ['CHAIN_ETHEREUM_TOKENS', { CHAIN_ETHEREUM_TOKENS: 'BIG:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48:19' }],
    ['CHAIN_ETHEREUM_TOKENS', { CHAIN_ETHEREUM_TOKENS: 'ETH:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48:18' }],
    [
      'CHAIN_ETHEREUM_TOKENS',
      {
        CHAIN_ETHEREUM_TOKENS:
          'A:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48:6,B:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48:6',
      },
    ],
    ['CHAIN_ETHEREUM_DEPOSIT_MIN', { CHAIN_ETHEREUM_DEPOSIT_MIN: 'ETH:0.01,USDC:5' }],
    ['CHAIN_ETHEREUM_DEPOSIT_MIN', { CHAIN_ETHEREUM_DEPOSIT_MIN: 'ETH:0.01,ETH:5' }],
    ['CHAIN_ETHEREUM_CONFIRMATIONS', { CHAIN_ETHEREUM_CONFIRMATIONS: '0' }],
    ['BITCOIN_NETWORK', { BITCOIN_NETWORK: 'main' }],
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
