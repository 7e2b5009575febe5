import 'reflect-metadata';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { modulesWith } from './app.module.js';
import { ORDER_LIMITS } from './core/term/order-limits.js';
import { CHAIN_RPC_URLS, ETHEREUM_SETTINGS } from './modules/wallets/chains/chain-settings.js';
import { ConfigError, loadConfig, SETTINGS } from './kit/config/config.js';
import type { Environment } from './kit/config/setting.js';
import type { Settings } from './kit/config/settings.js';
import { PAYOUT_SETTINGS } from './modules/banking/bank-rails/payout-settings.js';
import { RETENTION_DELIVERIES_DAYS } from './modules/webhooks/delivery/webhook-retention.js';
import { KYC_SETTINGS } from './modules/banking/kyc/kyc-settings.js';
import { RETENTION_IDLE_ROOMS_DAYS } from './modules/chat/rooms/idle-rooms-setting.js';
import { QUOTE_LIFETIME_MS } from './modules/exchange/quotes/quote-lifetime.js';
import { NEWS_FEEDS, RETENTION_NEWS_DAYS } from './modules/news/news-settings.js';
import { RETENTION_LIABILITIES_DAYS } from './modules/proof/liabilities/liabilities-retention.js';
import { UNIQUE_PETS } from './modules/store/unique-pets.js';
import { KYC_RETENTION_DAYS } from './modules/users/erasure/kyc-retention.js';
import { WALLET_SETTINGS } from './modules/wallets/wallet-settings.js';

const settingsIn = (environment: Environment): Settings => modulesWith([], loadConfig(environment)).settings;

const RETENTIONS = [
  RETENTION_NEWS_DAYS,
  RETENTION_DELIVERIES_DAYS,
  RETENTION_IDLE_ROOMS_DAYS,
  KYC_RETENTION_DAYS,
  RETENTION_LIABILITIES_DAYS,
];

describe('the settings of groups', () => {
  it('are each declared once, with a meaning', () => {
    const all = [...SETTINGS, ...modulesWith([], loadConfig({})).declaredSettings];
    const names = all.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { meaning } of all) expect(meaning).toMatch(/^[^|\n]+\.$/);
  });

  it.each([
    ['unset', {}],
    ['empty, as compose files leave them', emptied()],
  ])('have defaults where they are %s', (_how, environment) => {
    const settings = settingsIn(environment);
    expect(settings.get(UNIQUE_PETS)).toBe(false);
    expect(settings.get(QUOTE_LIFETIME_MS)).toBe(10_000);
    expect(settings.get(NEWS_FEEDS)).toBeUndefined();
    expect(settings.get(ORDER_LIMITS)).toEqual({
      openOrdersMax: 10_000,
      openStopsMax: 200,
      ownerOpenOrdersMax: 20_000,
      ownerOpenStopsMax: 1_000,
    });
    expect(settings.get(WALLET_SETTINGS)).toEqual({
      approvalAbove: new Map(),
      dailyLimit: new Map(),
      destinationWaitMs: 0,
      bitcoinNetwork: 'mainnet',
    });
    expect(settings.get(CHAIN_RPC_URLS)).toEqual({});
    expect(settings.get(ETHEREUM_SETTINGS)).toEqual({
      tokens: [],
      confirmations: 12,
      depositMinimums: new Map([['ETH', 1_000_000_000_000_000n]]),
      pollMs: 4_000,
      replaceAfterMs: 180_000,
      maxFeePerGas: 500_000_000_000n,
      startBlock: undefined,
    });
    expect(settings.get(KYC_SETTINGS)).toEqual({
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
    });
    // Everything but deliveries, KYC records of closed users, and leaves of old cuts is kept.
    expect(RETENTIONS.map((days) => settings.get<number | undefined>(days))).toEqual([
      undefined,
      30,
      undefined,
      1825,
      90,
    ]);
  });

  it('are read', () => {
    const settings = settingsIn({
      UNIQUE_PETS: 'true',
      WALLET_APPROVAL_ABOVE: 'USDC:10000, ETH:0.5',
      WALLET_DAILY_LIMIT: 'ETH:20',
      WALLET_DESTINATION_WAIT_SECONDS: '60',
      BITCOIN_NETWORK: 'regtest',
      QUOTE_LIFETIME_MS: '2500',
      OPEN_STOPS_MAX: '3',
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
      RETENTION_NEWS_DAYS: '365',
      RETENTION_DELIVERIES_DAYS: '4',
      RETENTION_IDLE_ROOMS_DAYS: '90',
      KYC_RETENTION_DAYS: '0',
      RETENTION_LIABILITIES_DAYS: '7',
    });
    expect(settings.get(UNIQUE_PETS)).toBe(true);
    expect(settings.get(QUOTE_LIFETIME_MS)).toBe(2_500);
    expect(settings.get(ORDER_LIMITS).openStopsMax).toBe(3);
    expect(settings.get(NEWS_FEEDS)).toEqual(['https://news.example/rss?x=1', 'http://other.example/atom']);
    expect(settings.get(WALLET_SETTINGS)).toEqual({
      approvalAbove: new Map([
        ['USDC', 10_000n * 10n ** 18n],
        ['ETH', 5n * 10n ** 17n],
      ]),
      dailyLimit: new Map([['ETH', 20n * 10n ** 18n]]),
      destinationWaitMs: 60_000,
      bitcoinNetwork: 'regtest',
    });
    expect(settings.get(KYC_SETTINGS)).toEqual({
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
    });
    expect(settings.get(PAYOUT_SETTINGS)).toEqual({
      approvalAbove: new Map([['EUR', 250n * 10n ** 18n]]),
      fees: new Map([['USD', 25n * 10n ** 16n]]),
      holderNameCheck: 'refuse',
      companyName: 'Tradepost (Example) Ltd.',
      sepa: { iban: 'DE89370400440532013000', bic: 'COBADEFFXXX', cutOffMinutes: 570, paidAfterDays: 5 },
      ach: {
        routingNumber: '021000021',
        companyId: '1234567890',
        bankName: 'JPMORGAN CHASE',
        cutOffMinutes: 1_439,
        paidAfterDays: 4,
      },
    });
    expect(settings.get(CHAIN_RPC_URLS)).toEqual({
      ethereum: 'https://node.example/key',
      solana: 'wss://sol.example/',
    });
    expect(settings.get(ETHEREUM_SETTINGS)).toEqual({
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
    });
    expect(RETENTIONS.map((days) => settings.get<number | undefined>(days))).toEqual([365, 4, 90, 0, 7]);
  });

  it('have other payees approved in production, where they do not say otherwise', () => {
    const checkIn = (environment: Environment) =>
      settingsIn(environment).get(PAYOUT_SETTINGS).holderNameCheck;
    expect(checkIn({})).toBe('warn');
    expect(checkIn({ NODE_ENV: 'production' })).toBe('approve');
    expect(checkIn({ NODE_ENV: 'production', PAYOUT_HOLDER_NAME_CHECK: 'warn' })).toBe('warn');
  });

  it('are shown by no inspection, nor is where they are from', () => {
    const config = loadConfig({ CHAIN_ETHEREUM_RPC_URL: 'https://node.example/s3cret' });
    const { settings } = modulesWith([], config);
    const shown =
      inspect({ config, settings }, { depth: null, showHidden: true }) + JSON.stringify({ config, settings });
    expect(shown).not.toContain('s3cret');
  });

  const refusals: readonly [setting: string, env: Environment][] = [
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
    ['RETENTION_NEWS_DAYS', { RETENTION_NEWS_DAYS: '0' }],
    // Deliveries are tried for up to four days.
    ['RETENTION_DELIVERIES_DAYS', { RETENTION_DELIVERIES_DAYS: '3' }],
    ['RETENTION_IDLE_ROOMS_DAYS', { RETENTION_IDLE_ROOMS_DAYS: '1.5' }],
    ['KYC_RETENTION_DAYS', { KYC_RETENTION_DAYS: '-1' }],
  ];
  it.each(refusals)('refuse a wrong %s in one line that names it: %j', (name, environment) => {
    const read = (): unknown => settingsIn(environment);
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(
      expect.objectContaining({
        setting: name,
        message: expect.stringMatching(new RegExp(`^${name} [^\n]+$`)) as unknown,
      }),
    );
  });
});

describe('GROUPS', () => {
  const refusalOf = (groups: string): unknown => {
    try {
      return modulesWith([], loadConfig({ GROUPS: groups }));
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    ['store', 'GROUPS: store needs pets.'],
    ['proof,banking', 'GROUPS: proof needs markets, wallets.'],
    [
      'shop',
      'GROUPS: there is no group "shop"; there are markets, exchange, wallets, banking, liabilities, pets, store, news, blog, chat, proof.',
    ],
    ['Pets', /^GROUPS must be a list, separated by commas, of at most 100 times the name of a group\.$/],
  ])('refuse %s', (groups, line) => {
    expect(refusalOf(groups)).toEqual(typeof line === 'string' ? line : expect.stringMatching(line));
  });

  it('leave the tables of those that are left out as they are, and read none of their settings', () => {
    const set = modulesWith([], loadConfig({ GROUPS: 'pets', KYC_AGE_MIN_YEARS: '0' }));
    expect(set.all.map(({ name }) => name)).not.toContain('banking');
    expect(() => set.settings.get(KYC_SETTINGS)).toThrow('KYC_AGE_MIN_YEARS');
    expect(set.declaredSettings.map(({ name }) => name)).toContain('KYC_AGE_MIN_YEARS');
    const all = modulesWith([], loadConfig({}));
    expect(set.migrationsWith([])).toEqual(all.migrationsWith([]));
    expect(set.scopes.grantable).toEqual(all.scopes.grantable);
  });
});

function emptied(): Environment {
  return Object.fromEntries(modulesWith([], loadConfig({})).declaredSettings.map(({ name }) => [name, '']));
}
