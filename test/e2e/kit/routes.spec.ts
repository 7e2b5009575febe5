import type { OpenAPIObject } from '@nestjs/swagger';
import type { ApplicationConfig } from '@nestjs/core';
import type { Application } from 'express';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CoreService } from '../../../src/core/core.service.js';
import type { Command } from '../../../src/domain/engine/commands.js';
import { ApiKeysService } from '../../../src/modules/auth/api-keys/api-keys.service.js';
import { OAuthClientsService } from '../../../src/modules/auth/clients/oauth-clients.service.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { newKeyPair } from '../../support/clients/request-signer.js';
import { eventually, queryOnce } from '../../support/core.js';
import { QuietChainPlugin } from '../../support/quiet-chain.js';
import { createRoom, say } from '../../support/clients/chat-client.js';
import { approvedKyc, submitKyc } from '../../support/clients/kyc-client.js';
import { published } from '../../support/clients/liabilities-client.js';
import { Caller, callerFor, loggedIn } from '../../support/caller.js';
import { limit } from '../../support/clients/markets-client.js';
import { register } from '../../support/clients/passkeys-client.js';
import { basic } from '../../support/clients/users-client.js';
import { addUsAccount, payOut } from '../../support/clients/payouts-client.js';
import { ACCOUNT_IDS } from '../../../src/modules/accounts/ids.js';
import { ScopeCatalogue } from '../../../src/kit/security/scope.js';

/** All public routes. A new one is a deliberate decision, recorded here. */
const PUBLIC_ROUTES = [
  'GET /.well-known/oauth-authorization-server',
  'GET /assets',
  'GET /blog/atom.xml',
  'GET /blog/categories',
  'GET /blog/feed.xml',
  'GET /blog/images/:image_name',
  'GET /blog/pages/:slug',
  'GET /blog/posts',
  'GET /blog/posts/:slug',
  'GET /event-groups',
  'GET /event-groups/:event_group_id',
  'GET /health',
  'GET /health/live',
  'GET /health/ready',
  'GET /journal/head',
  'GET /journal/heads',
  'GET /journal/keys',
  'GET /journal/proofs/consistency',
  'GET /journal/proofs/inclusion',
  'GET /journal/public',
  'GET /liabilities',
  'GET /liabilities/cuts',
  'GET /markets',
  'GET /markets/:market_id',
  'GET /markets/:market_id/candles',
  'GET /markets/:market_id/history/:day',
  'GET /markets/:market_id/orderbook',
  'GET /markets/:market_id/settlements',
  'GET /markets/:market_id/stream',
  'GET /markets/:market_id/trades',
  'GET /markets/:market_id/trades/:trade_id/receipt',
  'GET /news',
  'GET /news/:news_id',
  'GET /oauth/authorize',
  'GET /oauth/begin-:provider',
  'GET /oauth/callback-:provider',
  'GET /oauth/forgot-password',
  'GET /oauth/link-:provider',
  'GET /oauth/pages.css',
  'GET /oauth/pages.js',
  'GET /oauth/reset-password',
  'GET /oauth/verify-email',
  'GET /pet-images/:image_name',
  'GET /pet/images/:image_name',
  'GET /sitemap.xml',
  'GET /time',
  'GET /user/exports/:export_id/file',
  'GET /user/login',
  'POST /auth/token',
  'POST /kyc-callbacks/:provider',
  'POST /oauth/backchannel-logout/:provider',
  'POST /oauth/code',
  'POST /oauth/consent',
  'POST /oauth/forgot-password',
  'POST /oauth/introspect',
  'POST /oauth/login',
  'POST /oauth/reset-password',
  'POST /oauth/revoke',
  'POST /oauth/token',
  'POST /oauth/verify-email',
  'POST /user/email/verify',
  'POST /user/password/forgot',
  'POST /user/password/reset',
  'POST /oauth/passkey',
  'POST /oauth/passkey/options',
  'POST /oauth/revoke',
  'POST /oauth/token',
  'POST /user/passkeys/log-in',
  'POST /user/passkeys/log-in/options',
];

/** Not in the API: only pages of the authorization endpoint call these, and one redirects from a former path. */
const PAGE_ROUTES = [
  'GET /pet/images/:image_name',
  'GET /oauth/begin-:provider',
  'GET /oauth/callback-:provider',
  'GET /oauth/link-:provider',
  'GET /oauth/forgot-password',
  'GET /oauth/pages.css',
  'GET /oauth/pages.js',
  'GET /oauth/reset-password',
  'GET /oauth/verify-email',
  'POST /oauth/code',
  'POST /oauth/consent',
  'POST /oauth/forgot-password',
  'POST /oauth/login',
  'POST /oauth/reset-password',
  'POST /oauth/verify-email',
  'POST /oauth/passkey',
  'POST /oauth/passkey/options',
];

/** One id, or one per parameter of a path. */
type Ids = string | number | readonly string[];

/** An owned thing: how its owner makes it, an id that does not exist, and two callers. */
interface OwnedThing {
  readonly make: (owner: Caller) => Promise<Ids>;
  readonly nobodys: Ids;
  readonly callers: readonly [owner: string, stranger: string];
}

const STAKE_LIMIT = { kind: 'stake', asset: 'USD', amount: '1000', period: 'day' };

const OWNED_THINGS = {
  account: {
    make: ownAccount,
    nobodys: 'acc_7ZZZZZZZZZZ',
    callers: ['demo', 'maker'],
  },
  subAccount: {
    make: newSubAccount,
    nobodys: 'acc_7ZZZZZZZZZZ',
    callers: ['alice', 'bob'],
  },
  accountMember: {
    make: async (owner) => [await newSubAccount(owner, 'bob'), 'bob'],
    nobodys: ['acc_7ZZZZZZZZZZ', 'bob'],
    callers: ['alice', 'bob'],
  },
  invitation: {
    make: async () => newSubAccount(await callerNamed('alice'), 'bob'),
    nobodys: 'acc_7ZZZZZZZZZZ',
    callers: ['bob', 'alice'],
  },
  usersAccount: {
    make: ownAccount,
    nobodys: 'acc_7ZZZZZZZZZZ',
    callers: ['alice', 'bob'],
  },
  selfLimit: {
    make: async (owner) => {
      const account = await ownAccount(owner);
      const { body } = await owner.post(`/accounts/${account}/limits`, STAKE_LIMIT);
      return [account, body.limit_id];
    },
    nobodys: ['acc_7ZZZZZZZZZZ', 'lim_7ZZZZZZZZZZ'],
    callers: ['alice', 'bob'],
  },
  order: {
    make: async (owner) => (await owner.place(limit('BTC-USD', 'buy', '1', '1'))).order_id,
    nobodys: 'ord_7ZZZZZZZZZZ',
    callers: ['demo', 'maker'],
  },
  orderList: {
    make: async (owner) => {
      const exit = { market_id: 'BTC-USD', side: 'buy', size: '0.01' };
      const orders = [
        { ...exit, type: 'limit', price: '1' },
        { ...exit, type: 'stop', stop_price: '900000' },
      ];
      return (await owner.post('/order-lists', { type: 'oco', orders })).body.order_list_id;
    },
    nobodys: 'olt_7ZZZZZZZZZZ',
    callers: ['demo', 'maker'],
  },
  quote: {
    make: async (owner) => (await newQuote(owner)).quote_id,
    nobodys: 'qte_7ZZZZZZZZZZ',
    callers: ['demo', 'maker'],
  },
  matchedBet: {
    make: async (owner) => {
      const { quote_id } = await newQuote(owner);
      return (await owner.post('/matched-bets', { quote_id })).body.matched_bet_id;
    },
    nobodys: 'mbt_7ZZZZZZZZZZ',
    callers: ['demo', 'maker'],
  },
  purchase: {
    make: async (owner) => (await owner.post('/store/order', { petId: await newPet() })).body.id,
    nobodys: '9007199254740990',
    callers: ['demo', 'maker'],
  },
  client: {
    make: async (owner) =>
      (await owner.post('/auth/clients', { name: 'Mine', scopes: ['read:pets'] })).body.client_id,
    nobodys: 'nobodys-client',
    callers: ['alice', 'bob'],
  },
  apiKey: {
    make: async (owner) =>
      (await owner.post('/auth/api-keys', { name: 'Mine', scopes: ['read:pets'] })).body.api_key_id,
    nobodys: 'nobodys-key',
    callers: ['alice', 'bob'],
  },
  signingKey: {
    make: async (owner) => {
      const key = { name: 'Mine', scopes: ['read:pets'], public_key: newKeyPair().publicKey };
      return (await owner.post('/auth/signing-keys', key)).body.signing_key_id;
    },
    nobodys: 'nobodys-key',
    callers: ['alice', 'bob'],
  },
  session: {
    make: async (owner) => {
      await loggedIn(service.url, 'alice');
      return (await owner.get('/user/sessions?limit=1')).body.data[0].session_id;
    },
    nobodys: 'ses_7ZZZZZZZZZZ',
    callers: ['alice', 'bob'],
  },
  passkey: {
    make: async (owner) => (await register(service, owner)).created.passkey_id,
    nobodys: 'psk_7ZZZZZZZZZZ',
    callers: ['somebody', 'bob'],
  },
  export: {
    make: async (owner) => (await owner.post('/user/exports', {})).body.export_id,
    nobodys: 'exp_7ZZZZZZZZZZ',
    callers: ['alice', 'bob'],
  },
  wallet: {
    make: async (owner) => (await owner.post('/wallets', { name: 'Mine' })).body.wallet_id,
    nobodys: 'wlt_7ZZZZZZZZZZ',
    callers: ['demo', 'maker'],
  },
  provenAccount: {
    make: async (owner) => {
      await takeCut();
      return ownAccount(owner);
    },
    nobodys: 'acc_7ZZZZZZZZZZ',
    callers: ['demo', 'maker'],
  },
  provenWallet: {
    make: async (owner) => {
      const { wallet_id, account_id } = (await owner.post('/wallets', { name: 'Proven' })).body;
      const operator = await callerNamed('admin');
      const deposit = { asset: 'USD', amount: '1', reference: 'to be proven' };
      await operator.post(`/admin/accounts/${account_id}/deposits`, deposit);
      await takeCut();
      return wallet_id;
    },
    nobodys: 'wlt_7ZZZZZZZZZZ',
    callers: ['demo', 'maker'],
  },
  transfer: {
    make: async (owner) => {
      const { wallet_id, account_id } = (await owner.post('/wallets', { name: 'Mine' })).body;
      await fund(account_id);
      return [
        wallet_id,
        (await owner.post(`/wallets/${wallet_id}/transfers`, await transferOut())).body.transfer_id,
      ];
    },
    nobodys: ['wlt_7ZZZZZZZZZZ', 'trf_7ZZZZZZZZZZ'],
    callers: ['demo', 'maker'],
  },
  accountTransfer: {
    make: async (owner) => {
      const { wallet_id } = (await owner.post('/wallets', { name: 'Mine' })).body;
      const [{ account_id }] = (await owner.get('/accounts?limit=200')).body.data.filter(
        ({ kind }: { kind: string }) => kind === 'trading',
      );
      const destination = { type: 'wallet', wallet_id };
      const { body } = await owner.post(`/accounts/${account_id}/transfers`, {
        asset: 'USD',
        amount: '1',
        destination,
      });
      return [account_id, body.transfer_id];
    },
    nobodys: ['acc_7ZZZZZZZZZZ', 'trf_7ZZZZZZZZZZ'],
    callers: ['demo', 'maker'],
  },
  destination: {
    make: async (owner) => {
      const { wallet_id } = (await owner.post('/wallets', { name: 'Mine' })).body;
      const { body } = await owner.post(`/wallets/${wallet_id}/destinations`, COLD_STORAGE);
      return [wallet_id, body.destination_id];
    },
    nobodys: ['wlt_7ZZZZZZZZZZ', 'dst_7ZZZZZZZZZZ'],
    // One list covers all wallets of an owner, so the caller differs from the one that transfers out.
    callers: ['maker', 'demo'],
  },
  kyc: {
    make: async (owner) => (await submitKyc(owner)).kyc_id,
    nobodys: 'kyc_7ZZZZZZZZZZ',
    callers: ['demo', 'maker'],
  },
  payoutAccount: {
    make: newPayoutAccount,
    nobodys: 'pac_7ZZZZZZZZZZ',
    callers: ['maker', 'demo'],
  },
  payout: {
    make: async (owner) => {
      await knowOnce(owner);
      return (await payOut(owner, await newPayoutAccount(owner), '1', { currency: 'USD' })).payout_id;
    },
    nobodys: 'pay_7ZZZZZZZZZZ',
    callers: ['maker', 'demo'],
  },
  room: {
    make: async (owner) => (await newRoom(owner)).room_id,
    nobodys: 'rom_7ZZZZZZZZZZ',
    callers: ['demo', 'maker'],
  },
  member: {
    make: async (owner) => [(await newRoom(owner)).room_id, 'bob'],
    nobodys: ['rom_7ZZZZZZZZZZ', 'bob'],
    callers: ['demo', 'maker'],
  },
  message: {
    make: async (owner) => {
      const { room_id } = await newRoom(owner);
      return [room_id, (await say(owner, room_id, 'Mine')).message_id];
    },
    nobodys: ['rom_7ZZZZZZZZZZ', 'msg_7ZZZZZZZZZZ'],
    callers: ['demo', 'maker'],
  },
  reaction: {
    make: async (owner) => {
      const { room_id } = await newRoom(owner);
      return [room_id, (await say(owner, room_id, 'Mine')).message_id, '👍'];
    },
    nobodys: ['rom_7ZZZZZZZZZZ', 'msg_7ZZZZZZZZZZ', '👍'],
    callers: ['demo', 'maker'],
  },
  webhook: {
    make: newWebhook,
    nobodys: 'whk_7ZZZZZZZZZZ',
    callers: ['demo', 'maker'],
  },
  delivery: {
    make: async (owner) => {
      const webhookId = await newWebhook(owner);
      const test = await owner.post(`/news/webhooks/${webhookId}/test`, undefined);
      const address = `/news/webhooks/${webhookId}/deliveries/${test.body.delivery_id}`;
      await eventually(
        async () => (await owner.get(address)).body.status === 'failed',
        'the test has ended: only then it can be sent again',
      );
      return [webhookId, test.body.delivery_id];
    },
    nobodys: ['whk_7ZZZZZZZZZZ', 'whd_7ZZZZZZZZZZ'],
    callers: ['demo', 'maker'],
  },
  user: {
    make: async () => 'alice',
    nobodys: 'nobody',
    callers: ['alice', 'bob'],
  },
} satisfies Record<string, OwnedThing>;

/** A body that depends on the thing. */
type BodyMaker = (owner: Caller, id: Ids) => Promise<object>;

const COLD_STORAGE = {
  chain: 'ethereum',
  address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  label: 'Cold storage',
};

/** The routes with such an id in their path, with a valid body. */
const OWNED_ROUTES: Readonly<
  Record<string, readonly [thing: keyof typeof OWNED_THINGS, body?: object | BodyMaker]>
> = {
  'PATCH /accounts/:account_id': ['usersAccount', {}],
  'GET /accounts/:account_id/balances': ['account'],
  'GET /accounts/:account_id/entries': ['account'],
  'GET /accounts/:account_id/fees': ['account'],
  'GET /accounts/:account_id/receipt': ['account'],
  'GET /accounts/:account_id/fills': ['account'],
  'GET /accounts/:account_id/limits': ['account'],
  'POST /accounts/:account_id/limits': ['usersAccount', STAKE_LIMIT],
  'DELETE /accounts/:account_id/limits/:limit_id': ['selfLimit'],
  'GET /accounts/:account_id/pnl': ['account'],
  'GET /accounts/:account_id/positions': ['account'],
  'GET /accounts/:account_id/proof': ['provenAccount'],
  'GET /accounts/:account_id/statements': ['account'],
  'GET /accounts/:account_id/stream': ['account'],
  'GET /accounts/:account_id/transfers': ['account'],
  'GET /accounts/:account_id/transfers/:transfer_id': ['accountTransfer'],
  'GET /accounts/:account_id/transfers/:transfer_id/receipt': ['accountTransfer'],
  'GET /accounts/:account_id/members': ['subAccount'],
  'POST /accounts/:account_id/members': ['subAccount', { username: 'carol', role: 'viewer' }],
  'DELETE /accounts/:account_id/members/:username': ['accountMember'],
  'POST /accounts/:account_id/membership': ['invitation'],
  'DELETE /accounts/:account_id/membership': ['invitation'],
  'GET /orders/:order_id': ['order'],
  'GET /orders/:order_id/receipt': ['order'],
  'PATCH /orders/:order_id': ['order', { price: '2' }],
  'POST /orders/:order_id/replace': ['order', { side: 'buy', type: 'limit', price: '2', size: '1' }],
  'POST /orders/:order_id/replace/preview': ['order', { side: 'buy', type: 'limit', price: '2', size: '1' }],
  'POST /orders/:order_id/amend/preview': ['order', { price: '2' }],
  'POST /orders/:order_id/cancel/preview': ['order'],
  'DELETE /orders/:order_id': ['order'],
  'GET /order-lists/:order_list_id': ['orderList'],
  'DELETE /order-lists/:order_list_id': ['orderList'],
  'GET /quotes/:quote_id': ['quote'],
  'GET /matched-bets/:matched_bet_id': ['matchedBet'],
  'DELETE /auth/clients/:client_id': ['client'],
  'DELETE /auth/api-keys/:api_key_id': ['apiKey'],
  'POST /auth/api-keys/:api_key_id/rotate': ['apiKey', {}],
  'DELETE /auth/signing-keys/:signing_key_id': ['signingKey'],
  'POST /auth/signing-keys/:signing_key_id/rotate': ['signingKey', { public_key: newKeyPair().publicKey }],
  'DELETE /user/sessions/:session_id': ['session'],
  'PATCH /user/passkeys/:passkey_id': ['passkey', { name: 'Mine' }],
  'DELETE /user/passkeys/:passkey_id': ['passkey'],
  'GET /user/exports/:export_id': ['export'],
  'GET /store/order/:orderId': ['purchase'],
  'DELETE /store/order/:orderId': ['purchase'],
  'GET /wallets/:wallet_id': ['wallet'],
  'GET /wallets/:wallet_id/proof': ['provenWallet'],
  'GET /wallets/:wallet_id/addresses': ['wallet'],
  'GET /wallets/:wallet_id/deposits': ['wallet'],
  'GET /wallets/:wallet_id/signatures': ['wallet'],
  'POST /wallets/:wallet_id/sign': ['wallet', signatureOfItsOwn],
  'POST /wallets/:wallet_id/addresses': ['wallet', { chain: 'ethereum', purpose: 'signing' }],
  'GET /wallets/:wallet_id/transfers': ['wallet'],
  'POST /wallets/:wallet_id/transfers': ['wallet', transferOfItsOwn],
  'POST /accounts/:account_id/transfers': ['account', intoNewWallet],
  'GET /wallets/:wallet_id/transfers/:transfer_id': ['transfer'],
  'DELETE /wallets/:wallet_id/transfers/:transfer_id': ['transfer'],
  'GET /wallets/:wallet_id/destinations': ['wallet'],
  'POST /wallets/:wallet_id/destinations': ['wallet', COLD_STORAGE],
  'DELETE /wallets/:wallet_id/destinations/:destination_id': ['destination'],
  'GET /kyc/:kyc_id': ['kyc'],
  'GET /kyc/:kyc_id/history': ['kyc'],
  'POST /kyc/:kyc_id/images': ['kyc', onePixel],
  'GET /payout-accounts/:payout_account_id': ['payoutAccount'],
  'DELETE /payout-accounts/:payout_account_id': ['payoutAccount'],
  'GET /payouts/:payout_id': ['payout'],
  'GET /payouts/:payout_id/receipt': ['payout'],
  'GET /payouts/:payout_id/history': ['payout'],
  'DELETE /payouts/:payout_id': ['payout'],
  'GET /chat/rooms/:room_id': ['room'],
  'PATCH /chat/rooms/:room_id': ['room', { name: 'Renamed' }],
  'GET /chat/rooms/:room_id/events': ['room'],
  'PUT /chat/rooms/:room_id/read': ['room', { sequence: 1 }],
  'GET /chat/rooms/:room_id/stream': ['room'],
  'GET /chat/rooms/:room_id/members': ['room'],
  'POST /chat/rooms/:room_id/members': ['room', { member: 'alice' }],
  'PATCH /chat/rooms/:room_id/members/:member': ['member', { role: 'moderator' }],
  'DELETE /chat/rooms/:room_id/members/:member': ['member'],
  'GET /chat/rooms/:room_id/messages': ['room'],
  'POST /chat/rooms/:room_id/messages': ['room', { text: 'Mine' }],
  'GET /chat/rooms/:room_id/messages/:message_id': ['message'],
  'PATCH /chat/rooms/:room_id/messages/:message_id': ['message', { text: 'Still mine' }],
  'DELETE /chat/rooms/:room_id/messages/:message_id': ['message'],
  'PUT /chat/rooms/:room_id/messages/:message_id/reactions/:emoji': ['reaction'],
  'DELETE /chat/rooms/:room_id/messages/:message_id/reactions/:emoji': ['reaction'],
  'GET /news/webhooks/:webhook_id': ['webhook'],
  'PATCH /news/webhooks/:webhook_id': ['webhook', { disabled: true }],
  'DELETE /news/webhooks/:webhook_id': ['webhook'],
  'POST /news/webhooks/:webhook_id/test': ['webhook'],
  'POST /news/webhooks/:webhook_id/secret': ['webhook'],
  'POST /news/webhooks/:webhook_id/recover': ['webhook', { since: '2026-11-01T00:00:00.000Z' }],
  'GET /news/webhooks/:webhook_id/events': ['webhook'],
  'GET /news/webhooks/:webhook_id/deliveries': ['webhook'],
  'GET /news/webhooks/:webhook_id/deliveries/:delivery_id': ['delivery'],
  'POST /news/webhooks/:webhook_id/deliveries/:delivery_id/resend': ['delivery'],
  'GET /user/:username': ['user'],
  'PUT /user/:username': ['user', { firstName: 'Alice' }],
  'DELETE /user/:username': ['user'],
};

/** Paths whose ids have no owner: the same for all authorised callers. */
const SHARED_ROUTES =
  /^\w+ [/](?:(?:admin|blog|event-groups|kyc-callbacks|markets|pet|pet-images)[/]|news[/]:news_id$|oauth[/](?:backchannel-logout[/]|begin-|callback-|link-):provider$|user[/]exports[/]:export_id[/]file$)/;

/** Swagger UI's files; the documents do not describe themselves. */
const DOCUMENTATION = /^GET [/](console|docs|openapi[.]json|asyncapi[.]json|llms)/;

interface Route {
  readonly method: string;
  /** The router's form, such as `/orders/:order_id`. */
  readonly template: string;
  readonly name: string;
}

interface RouterLayer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): unknown;
}

let service: TestApp;
let routes: Route[];
let document: OpenAPIObject;

beforeAll(async () => {
  // The host of a webhook is otherwise looked up to check it; with private addresses allowed it is not.
  service = await startTestApp({ plugins: [QuietChainPlugin], webhookAllowPrivate: true });
  // No demo client may request all scopes.
  await service.app.nest.get(OAuthClientsService).ensure({
    clientId: 'walker',
    name: 'Walker',
    secret: 'walker-secret',
    grantTypes: ['client_credentials'],
    redirectUris: [],
    scopes: service.app.nest.get(ScopeCatalogue).all,
  });
  await service.app.nest
    .get(ApiKeysService)
    .ensure({ apiKeyId: 'key_bare', key: 'bare-key', name: 'Bare', scopes: [] });
  routes = routesOf(service.app.nest.getHttpAdapter().getInstance() as Application);
  document = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenAPIObject;
});
afterAll(() => service.close());

describe('every route', () => {
  it('is found by the walk', () => {
    expect(routes.length).toBeGreaterThan(25);
    expect(routes.map(({ name }) => name)).toEqual(expect.arrayContaining(PUBLIC_ROUTES));
    expect(new Set(routes.map(({ name }) => name)).size).toBe(routes.length);
  });

  it('is the first that its own path and method lead to', () => {
    const stack = stackOf(service.app.nest.getHttpAdapter().getInstance() as Application);
    for (const { method, template, name } of routes) {
      const path = template.replaceAll(/:\w+/g, 'nothing');
      const first = stack.find((layer) => layer.route?.methods[method.toLowerCase()] && layer.match(path));
      expect(first?.route?.path, name).toBe(template);
    }
  });

  it('runs through no interceptor that is not its own: each costs a request more than all guards together', () => {
    const { config } = service.app.nest as unknown as { readonly config: ApplicationConfig };
    expect(config.getGlobalInterceptors()).toEqual([]);
  });

  it('is in the document, and the document has no other', () => {
    const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const expected = routes
      .filter(({ name }) => !PAGE_ROUTES.includes(name))
      .map((route) => `${route.method} ${documentPath(route)}`);
    expect(documented.sort()).toEqual(expected.sort());
  });

  it('is named after what it does: only what reads is got or listed', () => {
    for (const operations of Object.values(document.paths)) {
      for (const [method, operation] of Object.entries(operations) as [string, { operationId?: string }][]) {
        const { operationId = '' } = operation;
        expect(operationId).toMatch(/^[a-z]+/);
        if (method !== 'get') expect(operationId).not.toMatch(/^(get|list|find|read)[A-Z]/);
      }
    }
  });

  it('answers 401 without a credential, unless it is public', async () => {
    for (const route of routes) {
      const response = await call(route);
      if (PUBLIC_ROUTES.includes(route.name)) {
        expect([401, 403, 500], route.name).not.toContain(response.status);
      } else {
        expect(response.status, route.name).toBe(401);
        expect(response.headers.get('www-authenticate'), route.name).toMatch(/^Bearer/);
        expect(await response.json(), route.name).toMatchObject({
          error: { code: 'authentication_required' },
        });
      }
    }
  });

  it('answers 401 to a credential that nobody issued, unless it is public', async () => {
    for (const route of routes.filter(({ name }) => !PUBLIC_ROUTES.includes(name))) {
      expect((await call(route, bearer('nonsense'))).status, route.name).toBe(401);
      expect((await call(route, { api_key: 'nonsense' })).status, route.name).toBe(401);
    }
  });

  it('says in the document what it demands', () => {
    for (const route of routes) {
      expect(securityOf(route).length > 0, route.name).toBe(!PUBLIC_ROUTES.includes(route.name));
    }
  });

  it('answers 403 to a token with every scope but the ones it needs', async () => {
    for (const route of routes) {
      const alternatives = alternativesOf(route);
      const needed = alternatives.flat();
      // Where some credential needs no scope, the handler decides.
      if (needed.length === 0 || alternatives.some((scopes) => scopes.length === 0)) continue;
      const insufficient = [
        service.app.nest.get(ScopeCatalogue).all.filter((scope) => !needed.includes(scope)),
        // If several scopes are needed together, a single one is not enough.
        ...alternatives
          .filter((scopes) => scopes.length > 1)
          .flatMap((scopes) => scopes.map((scope) => [scope])),
      ];
      for (const scopes of insufficient) {
        const response = await call(route, bearer(await tokenFor(scopes)));
        expect(response.status, route.name).toBe(403);
        expect(response.headers.get('www-authenticate'), route.name).toContain('error="insufficient_scope"');
        expect(await response.json(), route.name).toMatchObject({ error: { code: 'insufficient_scope' } });
      }
    }
  });

  it('lets a token with nothing but a scope that it names through', async () => {
    for (const route of routes) {
      for (const scopes of alternativesOf(route).filter((alternative) => alternative.length > 0)) {
        const response = await call(route, bearer(await tokenFor(scopes)));
        expect([401, 403, 500], `${route.name} with ${scopes.join(' ')}`).not.toContain(response.status);
      }
    }
  });

  it('lets any token through where it names no scope, but for what only users themselves may do', async () => {
    for (const route of routes) {
      if (!alternativesOf(route).some((scopes) => scopes.length === 0)) continue;
      const response = await call(route, bearer(await tokenFor(['news:webhooks'])));
      if (response.status === 403) {
        expect(await response.json(), route.name).toMatchObject({ error: { code: 'forbidden' } });
        const session = await call(route, bearer(await sessionOf('alice')));
        expect([401, 403, 500], route.name).not.toContain(session.status);
      } else {
        expect([401, 500], route.name).not.toContain(response.status);
      }
    }
  });
});

describe('an API key without scopes', () => {
  it('goes no further than where the document says so', async () => {
    const bareKey = { api_key: 'bare-key' };
    for (const route of routes.filter(({ name }) => !PUBLIC_ROUTES.includes(name))) {
      // A route for sessions names no scopes either; its handler refuses other callers.
      const security = securityOf(route);
      const scheme = security.some((each) => 'api_key' in each) ? 'api_key' : 'session';
      const suffices = security.some((each) => each[scheme]?.length === 0);
      const response = await call(route, bareKey);
      const { error } = (await response.json()) as { error?: { code: string } };
      expect(response.status, route.name).not.toBe(401);
      expect(error?.code === 'insufficient_scope', route.name).toBe(!suffices);
    }
  });
});

describe('every route that names a thing', () => {
  it('says whether that belongs to someone', () => {
    for (const { name } of routes.filter(({ template }) => template.includes(':'))) {
      expect(name in OWNED_ROUTES, name).toBe(!SHARED_ROUTES.test(name));
    }
    expect(routes.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(OWNED_ROUTES)));
  });

  it.each(Object.entries(OWNED_ROUTES))('%s knows it for its owner alone', async (name, [thing, body]) => {
    const { make, nobodys, callers }: OwnedThing = OWNED_THINGS[thing];
    const [owner, stranger] = await Promise.all([callerNamed(callers[0]), callerNamed(callers[1])]);
    const [method = '', template = ''] = name.split(' ');
    const id = await make(owner);
    const sent = typeof body === 'function' ? await body(owner, id) : body;
    const request = async (caller: Caller, named: Ids) => {
      const path = [named]
        .flat()
        .reduce<string>((text, each) => text.replace(/:\w+/, String(each)), template);
      return sent instanceof Uint8Array
        ? caller.send(method, path, new Uint8Array(sent), { 'content-type': 'application/octet-stream' })
        : caller.send(method, path, sent && JSON.stringify(sent));
    };
    const foreign = await request(stranger, id);
    const missing = await request(stranger, nobodys);
    expect(foreign.status).toBe(404);
    // The answer must not reveal whether it exists.
    expect({ ...foreign.body.error, request_id: '' }).toEqual({ ...missing.body.error, request_id: '' });
    expect([200, 201, 202, 204]).toContain((await request(owner, id)).status);
  });
});

/** A webhook without a receiver. */
async function newWebhook(owner: Caller): Promise<string> {
  return (await owner.post('/news/webhooks', { url: 'http://127.0.0.1:9/' })).body.webhook_id;
}

/** The smallest image there is, for routes that take a file. */
async function onePixel(): Promise<Uint8Array> {
  return sharp({ create: { width: 1, height: 1, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
}

/** A client of the demo data, one of its users, or a new user. */
async function callerNamed(name: string): Promise<Caller> {
  if (name === 'somebody') return newUser();
  const isUser = name === 'alice' || name === 'bob';
  return isUser ? new Caller(service.url, await sessionOf(name)) : callerFor(service.url, name);
}

/** With an invitation for `invited`, where somebody is. */
async function newSubAccount(owner: Caller, invited?: string): Promise<string> {
  const { account_id: accountId } = (await owner.post('/accounts', { name: 'Desk' })).body;
  if (invited !== undefined) {
    await owner.post(`/accounts/${accountId}/members`, { username: invited, role: 'viewer' });
  }
  return accountId;
}

let users = 0;

/** One who can add a second factor, since nobody else logs in as them. */
async function newUser(): Promise<Caller> {
  const username = `somebody-${++users}`;
  await (await callerNamed('alice')).post('/user', { username, password: `${username}-password` });
  return new Caller(service.url, await sessionOf(username));
}

async function ownAccount(owner: Caller): Promise<string> {
  const { body } = await owner.get('/accounts?limit=200');
  return body.data.find(({ kind }: { kind: string }) => kind === 'trading').account_id;
}

/** Private, with another member. */
function newRoom(owner: Caller): ReturnType<typeof createRoom> {
  return createRoom(owner, { members: ['bob'] });
}

/** A cut of the liabilities; another one may be under way. */
async function takeCut(): Promise<void> {
  const operator = await callerNamed('admin');
  const asked = await eventually(async () => {
    const reply = await operator.post('/admin/liabilities', undefined);
    expect(reply.status).toBe(202);
    return reply;
  });
  await published(operator, asked.body.cut_id as string);
}

let accountNumber = 100_000;

/** Each has a new number: nobody can add a bank account twice. */
function newPayoutAccount(owner: Caller): Promise<string> {
  return addUsAccount(owner, { account_number: String(accountNumber++) });
}

let known: Promise<unknown> | undefined;

async function knowOnce(owner: Caller): Promise<void> {
  known ??= approvedKyc(owner, await callerNamed('admin'));
  await known;
}

async function signatureOfItsOwn(owner: Caller, walletId: Ids): Promise<object> {
  const { body } = await owner.post(`/wallets/${String(walletId)}/addresses`, {
    chain: 'ethereum',
    purpose: 'signing',
  });
  return { address: body.address, type: 'raw', payload: 'mine' };
}

/** Funds the account and raises its owner's KYC level. */
async function fund(account: string): Promise<void> {
  const accountId = ACCOUNT_IDS.parse(account)!;
  const deposit = (asset: string, amount: string): Command => ({
    type: 'move_money',
    debit: { rail: 'demo' },
    credit: { accountId },
    asset,
    amount,
    reason: 'deposit',
    reference: 'test',
  });
  const commands = [deposit('ETH', '1'), deposit('USD', '1')];
  await service.app.nest
    .get(CoreService)
    .submit({ commands: [...commands, { type: 'set_kyc_level', accountId, level: 1 }] });
}

/** A transfer of ETH to an outside address, once the chain is connected. */
async function transferOut(): Promise<object> {
  const operator = await callerNamed('admin');
  await eventually(async () => {
    const { body } = await operator.get('/admin/chains');
    return body.data.some((each: { head_block: number | null }) => each.head_block === 1);
  }, 'the chain is known');
  const { chain, address } = COLD_STORAGE;
  return { asset: 'ETH', amount: '0.5', destination: { type: 'address', chain, address } };
}

async function transferOfItsOwn(owner: Caller, walletId: Ids): Promise<object> {
  const { account_id } = (await owner.get(`/wallets/${String(walletId)}`)).body;
  await fund(account_id);
  return intoNewWallet(owner);
}

async function intoNewWallet(owner: Caller): Promise<object> {
  const { wallet_id } = (await owner.post('/wallets', { name: 'Other' })).body;
  return { asset: 'USD', amount: '1', destination: { type: 'wallet', wallet_id } };
}

async function sessionOf(username: string): Promise<string> {
  const headers = basic(username, `${username}-password`);
  const response = await fetch(`${service.url}/user/login`, { headers });
  expect(response.status).toBe(200);
  return (await response.json()) as string;
}

/** A quote for one contract, offered by the other caller. */
async function newQuote(owner: Caller): Promise<{ quote_id: string }> {
  await (await callerNamed('maker')).place(limit('RAIN-LISBON', 'sell', '0.4', '1'));
  return (await owner.post('/quotes', { market_id: 'RAIN-LISBON', side: 'buy', size: '1' })).body;
}

async function newPet(): Promise<number> {
  const [pet] = await queryOnce<{ pet_id: string }>(
    service.config.databaseUrl!,
    `INSERT INTO pets (pet_id, name, status)
     VALUES (nextval('pets_pet_id_seq'), 'Kit', 'available') RETURNING pet_id`,
  );
  return Number(pet!.pet_id);
}

function stackOf(app: Application): readonly RouterLayer[] {
  return (app.router as unknown as { readonly stack: readonly RouterLayer[] }).stack;
}

function routesOf(app: Application): Route[] {
  return stackOf(app)
    .flatMap(({ route }) =>
      Object.keys(route?.methods ?? {}).map((verb) => {
        const method = verb.toUpperCase();
        const template = route?.path ?? '';
        return { method, template, name: `${method} ${template}` };
      }),
    )
    .filter(({ name }) => !DOCUMENTATION.test(name));
}

function documentPath({ template }: Route): string {
  return template.replaceAll(/:(\w+)/g, '{$1}');
}

/** The document's security: by scheme, the scopes that suffice together. */
function securityOf(route: Route): Record<string, string[]>[] {
  const path = document.paths[documentPath(route)] as
    | Record<string, { security?: Record<string, string[]>[] }>
    | undefined;
  const alternatives = path?.[route.method.toLowerCase()]?.security ?? [];
  // One without any scheme: a credential may be sent, and need not.
  return alternatives.some((each) => Object.keys(each).length === 0) ? [] : alternatives;
}

/** The alternative sets of scopes for a token; an empty set means any token. */
function alternativesOf(route: Route): string[][] {
  return securityOf(route).flatMap(
    ({ api_key: _ofKeys, signature: _ofSigningKeys, stream_ticket: _ofTickets, ...ofTokens }) =>
      Object.values(ofTokens),
  );
}

/** Calls a route with an invalid body, for something that does not exist. */
function call({ method, template }: Route, headers: Record<string, string> = {}): Promise<Response> {
  const path = template.replaceAll(/:\w+/g, 'nothing');
  if (method === 'GET' || method === 'DELETE') return fetch(`${service.url}${path}`, { method, headers });
  return fetch(`${service.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"unknown":true}',
  });
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

const tokens = new Map<string, Promise<string>>();

/** A token of a client that may ask for any scope. */
function tokenFor(scopes: readonly string[]): Promise<string> {
  const key = scopes.join(' ');
  const token = tokens.get(key) ?? requestToken(key);
  tokens.set(key, token);
  return token;
}

async function requestToken(scope: string): Promise<string> {
  const response = await fetch(`${service.url}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'walker',
      client_secret: 'walker-secret',
      scope,
    }),
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { access_token: string }).access_token;
}
