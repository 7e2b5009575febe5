import type { CreateAsset, CreateMarket } from '../domain/engine/commands.js';
import type { NewApiKey } from '../modules/auth/api-keys/api-keys.service.js';
import type { NewOAuthClient } from '../modules/auth/clients/oauth-clients.service.js';
import type { NewUser } from '../modules/users/users.service.js';

/** Everything here is public, passwords included: it is for trying the service out and for nothing else. */

const CUSTOMER_SCOPES: readonly string[] = [
  'markets:trade',
  'account:read',
  'wallets:read',
  'wallets:write',
  'wallets:sign',
  'banking:read',
  'banking:write',
  'news:webhooks',
  'chat:read',
  'chat:write',
  'read:pets',
];

const CONFIDENTIAL = { grantTypes: ['client_credentials'], redirectUris: [] } as const;

/** Clients that act in their own name, on an account of their own. */
export const DEMO_CLIENTS: readonly NewOAuthClient[] = [
  { clientId: 'demo', name: 'Demo trader', secret: 'demo-secret', scopes: CUSTOMER_SCOPES, ...CONFIDENTIAL },
  { clientId: 'maker', name: 'Demo maker', secret: 'maker-secret', scopes: CUSTOMER_SCOPES, ...CONFIDENTIAL },
  { clientId: 'admin', name: 'Demo operator', secret: 'admin-secret', scopes: ['admin'], ...CONFIDENTIAL },
];

/** The client of the Petstore’s own flow, which acts for the user who logs in. */
export const DEMO_BROWSER_CLIENT: NewOAuthClient = {
  clientId: 'petstore-ui',
  name: 'Petstore',
  secret: null,
  grantTypes: ['implicit', 'authorization_code', 'refresh_token'],
  redirectUris: ['/docs/oauth2-redirect.html'],
  scopes: ['read:pets', 'write:pets'],
};

/** The client of Swagger UI, which acts for the user who logs in. */
export const DEMO_EXPLORER_CLIENT: NewOAuthClient = {
  clientId: 'explorer',
  name: 'Swagger UI',
  secret: null,
  grantTypes: ['authorization_code', 'refresh_token'],
  redirectUris: ['/docs/oauth2-redirect.html'],
  scopes: [...CUSTOMER_SCOPES, 'write:pets', 'admin'],
};

/** The key that Petstore's own documents use. */
export const DEMO_API_KEY: NewApiKey = {
  apiKeyId: 'key_demo',
  key: 'special-key',
  name: 'Demo key',
  scopes: ['read:pets'],
};

export const DEMO_USERS: readonly NewUser[] = [
  { username: 'admin', password: 'admin-password', isOperator: true },
  { username: 'alice', password: 'alice-password', isOperator: false },
  { username: 'bob', password: 'bob-password', isOperator: false },
];

export const DEMO_ASSETS: readonly CreateAsset[] = [
  { type: 'create_asset', code: 'USD', scale: 2 },
  { type: 'create_asset', code: 'EUR', scale: 2 },
  { type: 'create_asset', code: 'BTC', scale: 8 },
  { type: 'create_asset', code: 'ETH', scale: 18 },
  { type: 'create_asset', code: 'USDC', scale: 6 },
];

/** The clients whose accounts start with money, and with how much of each asset. */
export const DEMO_FUNDED_CLIENTS: readonly string[] = ['demo', 'maker'];

export const DEMO_BALANCES = [
  { asset: 'USD', amount: '10000000' },
  { asset: 'EUR', amount: '1000000' },
  { asset: 'USDC', amount: '10000000' },
  { asset: 'BTC', amount: '1000' },
  { asset: 'ETH', amount: '10000' },
] as const;

/** What anybody may take once, to try the service with. */
export const DEMO_STAKE = [
  { asset: 'USD', amount: '100000' },
  { asset: 'EUR', amount: '100000' },
  { asset: 'USDC', amount: '100000' },
  { asset: 'BTC', amount: '1' },
  { asset: 'ETH', amount: '20' },
] as const;

/** What a demo market leaves to the defaults of the core. */
const DEFAULTS = {
  type: 'create_market',
  minSize: null,
  maxSize: null,
  // Who fills a book with orders has to have money for them.
  minNotional: '0.001',
  priceMin: null,
  priceMax: null,
  makerFeeRate: null,
  takerFeeRate: null,
  feeBase: null,
  opensAtMs: null,
  closesAtMs: null,
} as const;

export const DEMO_MARKETS: readonly CreateMarket[] = [
  {
    ...DEFAULTS,
    marketId: 'BTC-USD',
    kind: 'spot',
    title: 'Bitcoin / US dollar',
    description: 'Bitcoin for US dollars, without fees.',
    category: 'crypto',
    baseAsset: 'BTC',
    quoteAsset: 'USD',
    tickSize: '0.01',
    lotSize: '0.00000001',
    marketOrderBand: '20',
  },
  {
    ...DEFAULTS,
    marketId: 'ETH-USD',
    kind: 'spot',
    title: 'Ether / US dollar',
    description: 'Ether for US dollars, without fees.',
    category: 'crypto',
    baseAsset: 'ETH',
    quoteAsset: 'USD',
    tickSize: '0.01',
    lotSize: '0.000001',
    marketOrderBand: '20',
  },
  {
    ...DEFAULTS,
    marketId: 'ETH-USDC',
    kind: 'spot',
    title: 'Ether / USD Coin',
    description: 'Ether for USD Coin: makers pay 0.1 %, takers 0.2 %.',
    category: 'crypto',
    baseAsset: 'ETH',
    quoteAsset: 'USDC',
    tickSize: '0.01',
    lotSize: '0.0001',
    marketOrderBand: '20',
    makerFeeRate: '0.001',
    takerFeeRate: '0.002',
  },
  {
    ...DEFAULTS,
    marketId: 'RAIN-LISBON',
    kind: 'event',
    title: 'Will it rain in Lisbon?',
    description: 'Each contract settles at 1 USD if it rains in Lisbon, at 0 if it does not.',
    category: 'weather',
    baseAsset: null,
    quoteAsset: 'USD',
    tickSize: '0.01',
    lotSize: '1',
  },
];
