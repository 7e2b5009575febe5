import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { assertNothingHeld } from '../../src/kit/database/held-connections.js';
import { createDemoDatabase, startTestApp, type TestApp, type TestAppOverrides } from './app.js';
import { type Caller, loggedIn } from './caller.js';
import { createRoom, say } from './clients/chat-client.js';
import { approvedKyc } from './clients/kyc-client.js';
import { createMarket, limit } from './clients/markets-client.js';
import { BANKS, pain002, payOut } from './clients/payouts-client.js';
import { newKeyPair } from './clients/request-signer.js';
import { published } from './clients/liabilities-client.js';
import type { TestDatabase } from './database.js';
import { examplesOf, type NamedOperation, operationsOf, readOpenApi } from './openapi.js';
import { QuietChainPlugin } from './quiet-chain.js';
import {
  type Callers,
  inOrder,
  made,
  type MoreThings,
  type Things,
  ValidRequests,
} from './valid-requests.js';

/** The service that is walked, after all others that wrote to its database have ended. */
export interface ColdService {
  readonly url: string;
  close(): Promise<void>;
}

/** How all services of a walk are started. */
export const COLD_SETTINGS: TestAppOverrides = {
  plugins: [QuietChainPlugin],
  rateLimits: 'off',
  webhookAllowPrivate: true,
  environment: BANKS,
};

const FORM = 'application/x-www-form-urlencoded';
const OCTETS = 'application/octet-stream';

/**
 * Calls every operation of the document once, right after a start on a database that has data. What the process keeps in
 * memory is empty then and stays so: its caches forget everything. So whoever reads from a cache within a transaction, and
 * from the pool where that misses, is met by the guard of `held-connections.ts`.
 */
export async function describeColdWalk(
  what: string,
  start: (database: TestDatabase) => Promise<ColdService>,
): Promise<void> {
  const document = await readOpenApi();
  const operations = inOrder(operationsOf(document));

  describe(what, () => {
    let database: TestDatabase;
    let service: ColdService;
    let requests: ValidRequests;
    let picture: Uint8Array<ArrayBuffer>;
    let carriedOut = 0;
    beforeAll(async () => {
      picture = await onePixel();
      database = await createDemoDatabase();
      const earlier = await startTestApp({ ...COLD_SETTINGS, databaseUrl: database.url });
      requests = await ValidRequests.open(earlier.url, (callers, things) =>
        makeMore(earlier, callers, things),
      );
      await earlier.close();
      service = await start(database);
      forgetWhileHolding();
    });
    afterAll(async () => {
      vi.restoreAllMocks();
      await service.close();
      await database.drop();
    });

    it.each(operations.map((operation) => [operation.name, operation] as const))(
      '%s',
      async (name, operation) => {
        const { status, text } = await sendAgain(operation);
        if (status < 300) carriedOut++;
        else expect(REFUSALS[name], text.slice(0, 300)).toBe(status);
        if (status < 300) requests.learn(operation, text);
      },
    );

    it('were nearly all carried out', () => {
      expect(operations.length - carriedOut).toBeLessThanOrEqual(Object.keys(REFUSALS).length);
    });

    /** As clients do where the leadership moves. */
    async function sendAgain(operation: NamedOperation): Promise<{ status: number; text: string }> {
      for (let tries = 1; ; tries++) {
        const answer = await send(operation);
        if (tries === 5 || !answer.text.includes('"temporarily_unavailable"')) return answer;
        await delay(1_000);
      }
    }

    async function send(operation: NamedOperation): Promise<{ status: number; text: string }> {
      const response = await fetch(`${service.url}${requests.pathOf(operation)}?${queryOf(operation)}`, {
        method: operation.method,
        redirect: 'manual',
        ...bodyOf(operation),
      });
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
      if (isStream) await response.body?.cancel();
      return { status: response.status, text: isStream ? '' : await response.text() };
    }

    /** The examples of its parameters. */
    function queryOf(operation: NamedOperation): string {
      const examples = (operation.parameters ?? [])
        .filter((parameter) => parameter.in === 'query' && !MOMENTS.includes(parameter.name))
        .map(({ name, example, schema }) => [name, example ?? schema.example] as const)
        .filter(([, example]) => example !== undefined);
      const query = requests.fitting(operation, Object.fromEntries(examples)) as Record<string, string>;
      return new URLSearchParams(query).toString();
    }

    function bodyOf(operation: NamedOperation): {
      headers: Record<string, string>;
      body?: string | Uint8Array<ArrayBuffer>;
    } {
      const headers = requests.credentialFor(operation);
      const content = operation.requestBody?.content;
      if (content === undefined) return { headers };
      if (OCTETS in content) {
        const body = new Uint8Array(OTHER_FILES[operation.name] ?? picture);
        return { headers: { ...headers, 'content-type': OCTETS }, body };
      }
      const [type, media] = Object.entries(content)[0]!;
      const example = requests.exampleOf(operation, examplesOf(media));
      const body =
        type === FORM
          ? new URLSearchParams(example as Record<string, string>).toString()
          : JSON.stringify(requests.fitting(operation, example));
      return { headers: { ...headers, 'content-type': type }, body };
    }
  });
}

/** Parameters whose examples are long past. */
const MOMENTS = ['as_of', 'at_sequence'];

/** What may be refused: it needs what is secret, what only a bank, a chain or a second person makes, or comes too late. */
const REFUSALS: Readonly<Record<string, number>> = {
  'DELETE /admin/markets/{market_id}/settlement/proposal': 404,
  'DELETE /admin/users/{username}/second-factors': 409,
  'DELETE /orders/{order_id}': 409,
  'DELETE /payouts/{payout_id}': 409,
  'DELETE /user/passkeys/{passkey_id}': 404,
  'DELETE /wallets/{wallet_id}/transfers/{transfer_id}': 409,
  'GET /admin/approvals/{approval_id}': 404,
  'GET /admin/fee-schedules/{name}': 404,
  'GET /admin/kyc/{kyc_id}/images/{image_id}': 404,
  'GET /blog/images/{image_name}': 404,
  'GET /oauth/authorize': 400,
  'GET /pet-images/{image_name}': 404,
  'GET /user/exports/{export_id}/file': 404,
  'PATCH /user/passkeys/{passkey_id}': 404,
  'POST /admin/approvals/{approval_id}/approve': 404,
  'POST /admin/approvals/{approval_id}/reject': 404,
  'POST /admin/event-groups': 409,
  'POST /admin/event-groups/{event_group_id}/settle': 409,
  'POST /admin/event-groups/{event_group_id}/settle/preview': 409,
  'POST /admin/event-groups/{event_group_id}/settlement/correction': 409,
  'POST /admin/markets/{market_id}/settlement/correction': 409,
  'POST /admin/markets/{market_id}/settlement/preview': 409,
  'POST /admin/chain-deposits/{deposit_id}/return': 404,
  'POST /oauth/backchannel-logout/{provider}': 404,
  'POST /admin/news/feeds/{feed_id}/poll': 404,
  'POST /admin/payout-remarks/{remark_id}/clear': 404,
  'POST /admin/payouts/{payout_id}/approve': 409,
  'POST /admin/payouts/{payout_id}/reject': 409,
  'POST /admin/payouts/{payout_id}/report': 409,
  'POST /admin/transfers/{transfer_id}/approve': 404,
  'POST /admin/transfers/{transfer_id}/reject': 404,
  'POST /event-groups/{event_group_id}/merge': 422,
  'POST /kyc-callbacks/{provider}': 404,
  'POST /kyc/{kyc_id}/images': 409,
  'POST /matched-bets': 409,
  'POST /matched-bets/preview': 409,
  'POST /orders/{order_id}/replace/preview': 409,
  'POST /payout-accounts': 409,
  'POST /user/email/verification': 422,
  'POST /user/email/verify': 400,
  'POST /user/passkeys': 400,
  'POST /user/passkeys/log-in': 401,
  'POST /user/password/reset': 400,
  'POST /user/step-up': 401,
  'POST /user/step-up/options': 409,
  'POST /user/totp/confirm': 400,
  'POST /user/totp/recovery-codes': 409,
  'PUT /admin/accounts/{account_id}/fee-schedule': 404,
};

/** Uploads that are no pictures. */
const OTHER_FILES: Readonly<Record<string, Buffer>> = {
  'POST /admin/payout-files/reports': Buffer.from(
    pain002('TRADEPOST-SEPA-000001', [{ id: 'pay-00000000001', status: 'ACSC' }]),
  ),
};

/** Caches miss where somebody holds a connection: there it shows who would wait for a second one. */
function forgetWhileHolding(): void {
  const { get } = LRUCache.prototype;
  vi.spyOn(LRUCache.prototype, 'get').mockImplementation(function (
    this: LRUCache<object, object>,
    ...parameters
  ) {
    try {
      assertNothingHeld('a cache');
    } catch {
      return undefined;
    }
    return get.apply(this, parameters);
  });
}

function onePixel(): Promise<Uint8Array<ArrayBuffer>> {
  return sharp({ create: { width: 1, height: 1, channels: 3, background: 'teal' } })
    .png()
    .toBuffer()
    .then((bytes) => new Uint8Array(bytes));
}

/** What the walk needs beside the things of `ValidRequests`, for the sender or for the operation. */
async function makeMore(
  app: TestApp,
  { demo, maker, operator, alice }: Callers,
  things: Things,
): Promise<MoreThings> {
  const bob = await loggedIn(app.url, 'bob');
  const account = (await alice.get('/accounts')).body.data[0].account_id as string;
  const subAccount = await made(alice, '/accounts', { name: 'Desk' }, 'account_id');
  await alice.post(`/accounts/${subAccount}/members`, { username: 'bob', role: 'viewer' });
  const bobsAccount = await made(bob, '/accounts', { name: 'Desk' }, 'account_id');
  await bob.post(`/accounts/${bobsAccount}/members`, { username: 'alice', role: 'viewer' });
  const kyc = await approvedKyc(demo, operator);
  const stake = { kind: 'stake', asset: 'USD', amount: '1000', period: 'day' };
  // Rooms and messages of users: names of clients are never looked up.
  const room = await createRoom(alice, { members: ['bob'] });
  const bobsRoom = await createRoom(bob, { members: ['alice'] });
  const ofAlice = {
    account_id: account,
    room_id: room.room_id as string,
    message_id: (await say(alice, room.room_id, 'Hello')).message_id as string,
    parent_id: (await say(alice, room.room_id, 'Hello again')).message_id as string,
    limit_id: await made(alice, `/accounts/${account}/limits`, stake, 'limit_id'),
    api_key_id: await made(alice, '/auth/api-keys', { name: 'Mine', scopes: ['read:pets'] }, 'api_key_id'),
    signing_key_id: await made(
      alice,
      '/auth/signing-keys',
      { name: 'Mine', scopes: ['read:pets'], public_key: newKeyPair().publicKey },
      'signing_key_id',
    ),
    session_id: (await alice.get('/user/sessions')).body.data.at(-1).session_id as string,
    export_id: await made(alice, '/user/exports', {}, 'export_id'),
    orderId: await made(alice, '/store/order', { petId: 1, quantity: 1 }, 'id'),
  };

  const webhook = `/news/webhooks/${things['webhook_id']}`;
  const { trade, ...ofTrades } = await tradeSomething(demo, maker);
  const toWallet = {
    asset: 'USD',
    amount: '1',
    destination: { type: 'wallet', wallet_id: things['wallet_id'] },
  };
  const transfers = `/accounts/${things['account_id']}/transfers`;
  const ofDemo = {
    ...ofTrades,
    kyc_id: kyc,
    payout_id: (await payOut(demo, things['payout_account_id']!, '1')).payout_id as string,
    transfer_id: await made(demo, transfers, toWallet, 'transfer_id'),
    delivery_id: await made(demo, `${webhook}/test`, undefined, 'delivery_id'),
  };
  const group = await groupOfMarkets(operator);
  const image = await operator.send('POST', '/admin/blog/images', await onePixel(), {
    'content-type': OCTETS,
  });
  const page = { title: 'Page', slug: 'page', markdown: 'Text', status: 'published' };
  const ofOperator = {
    room_id: bobsRoom.room_id as string,
    message_id: (await say(bob, bobsRoom.room_id, 'Hello')).message_id as string,
    page_id: await made(operator, '/admin/blog/pages', page, 'page_id'),
    post_id: await made(operator, '/admin/blog/posts', { ...page, slug: 'post' }, 'post_id'),
    kyc_id: things['kyc_id']!,
    payout_id: ofDemo.payout_id,
    transfer_id: ofDemo.transfer_id,
    username: 'bob',
    winning_market_id: 'COLD-1',
  };
  await published(operator, (await operator.post('/admin/liabilities', undefined)).body.cut_id as string);
  const shown = { event_group_id: group, image_name: image.body.image_name as string };
  const members = '/accounts/{account_id}/members';
  const ofOperation: Readonly<Record<string, Things>> = {
    [`GET ${members}`]: { account_id: subAccount },
    [`POST ${members}`]: { account_id: subAccount, username: 'carol' },
    [`DELETE ${members}/{username}`]: { account_id: subAccount, username: 'bob' },
    'POST /accounts/{account_id}/membership': { account_id: bobsAccount },
    'DELETE /accounts/{account_id}/membership': { account_id: bobsAccount },
    'POST /user': { username: 'newcomer' },
    'POST /wallets/{wallet_id}/sign': {
      address: await made(
        demo,
        `/wallets/${things['wallet_id']}/addresses`,
        { chain: 'ethereum' },
        'address',
      ),
    },
    'POST /admin/markets': { market_id: 'COLD-USD' },
    'POST /wallets/{wallet_id}/destinations': { address: COLD_STORAGE },
    // The owner leaves it to somebody whose name nothing has asked for.
    'DELETE /chat/rooms/{room_id}/members/{member}': { member: 'me' },
  };
  const ofSender = {
    alice: ofAlice,
    demo: { ...shown, ...ofDemo },
    admin: { ...shown, ...ofOperator },
    anyone: { ...shown, trade_id: trade },
  };
  const senderOf: MoreThings['senderOf'] = ({ path }) => (path.startsWith('/chat/') ? 'alice' : undefined);
  return { ofSender, ofOperation, senderOf };
}

const COLD_STORAGE = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

async function tradeSomething(
  demo: Caller,
  maker: Caller,
): Promise<Record<'trade' | 'order_list_id' | 'matched_bet_id', string>> {
  await maker.place(limit('BTC-USD', 'sell', '60000', '500'));
  const { fills } = await demo.place(limit('BTC-USD', 'buy', '60000', '0.1'));
  const exit = { market_id: 'BTC-USD', side: 'buy', size: '0.01' };
  const orders = [
    { ...exit, type: 'limit', price: '1' },
    { ...exit, type: 'stop', stop_price: '900000' },
  ];
  const quote = await made(demo, '/quotes', { market_id: 'RAIN-LISBON', side: 'buy', size: '1' }, 'quote_id');
  return {
    trade: fills[0].trade_id as string,
    order_list_id: await made(demo, '/order-lists', { type: 'oco', orders }, 'order_list_id'),
    matched_bet_id: await made(demo, '/matched-bets', { quote_id: quote }, 'matched_bet_id'),
  };
}

async function groupOfMarkets(operator: Caller): Promise<string> {
  const terms = { kind: 'event', base_asset: undefined, lot_size: '1' };
  const marketIds = [
    await createMarket(operator, 'COLD-1', terms),
    await createMarket(operator, 'COLD-2', terms),
  ];
  const group = { event_group_id: 'COLD', title: 'Who wins', market_ids: marketIds };
  return made(operator, '/admin/event-groups', group, 'event_group_id');
}
