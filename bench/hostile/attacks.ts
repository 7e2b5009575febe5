/** What one person can do at most inside all limits, with several users, accounts and sessions; each kind by itself. */
import sharp from 'sharp';
import type { BenchService, Trader } from '../support/bench-service.js';
import { wireRequest } from '../support/load-generator.js';
import { MIDDLE_TICKS } from '../support/order-load.js';
import { SERIAL } from '../support/template.js';
import type { Stream } from './flood.js';
import { fund, Person } from './people.js';

/** The market in which the attacker trades, and others too. */
export const CONTESTED = 'BENCH-CONTESTED';

const USERS = 5;
/** Each with money, and as many without. */
const ACCOUNTS_PER_USER = 4;
const STOPS_PER_BATCH = 100;
const GROUP = 'BENCH-GROUP';
const MARKETS_IN_GROUP = 50;
/** Orders, and at least as many fills and entries, of each of two users. */
const ORDERS_MADE = 30_000;
const LISTS_AT_ONCE = 200;
const EXPORTS_AT_ONCE = 260;
/** As many as may be in flight. */
const SINGLES_AT_ONCE = 512;
const AT_ONCE = 64;
const IMAGE_SIDE = 7_000;
const NETWORKS = 2_000;

export interface Attack {
  readonly what: string;
  readonly streams: readonly Stream[];
}

/** Makes the attacker and what she needs, and answers what she can do. */
export async function attacksOf(service: BenchService): Promise<Attack[]> {
  const mallory = await Person.register(service, 'mallory', { accounts: 2 * ACCOUNTS_PER_USER });
  const users = [mallory];
  while (users.length < USERS) {
    const options = { accounts: 2 * ACCOUNTS_PER_USER, maker: mallory };
    users.push(await Person.register(service, `mallory-${users.length}`, options));
  }
  const funded = users.flatMap(({ traders }) => traders.slice(0, ACCOUNTS_PER_USER));
  const unfunded = users.flatMap(({ traders }) => traders.slice(ACCOUNTS_PER_USER));
  await fund(
    service,
    funded.map(({ accountId }) => accountId),
  );
  const contracts = await makeGroup(service);
  await service.makeOrders(
    {
      market_id: CONTESTED,
      kind: 'traded',
      orders: 2 * ORDERS_MADE,
      levels: 10,
      middle_ticks: MIDDLE_TICKS,
      size_lots: 100,
    },
    { buyers: [users[0]!.traders[0]!], sellers: [users[1]!.traders[0]!] },
  );
  await service.caughtUp(60_000);
  const attacks = [
    stops(funded, unfunded),
    splits(funded),
    massQuotes(funded, contracts),
    orderLists(funded),
    singles(funded),
    lists(users),
    exports(users),
    await receipts(users),
    balances(users, (await service.metrics(['tradepost_core_sequence']))[0] ?? 0),
    statements(users),
    await images(users),
    logIns(users),
  ];
  for (const user of users) user.close();
  return attacks;
}

/** Unfunded stops a tick from the last trade and trailing ones, and trades that fire them. */
function stops(funded: readonly Trader[], unfunded: readonly Trader[]): Attack {
  const batchOf = ({ accountId, token }: Trader, terms: object): string =>
    wireRequest('/orders/batch', token, {
      orders: Array.from({ length: STOPS_PER_BATCH }, () => ({
        market_id: CONTESTED,
        account_id: accountId,
        size: '0.00000001',
        ...terms,
      })),
    });
  // Two users trade with each other, or the trades would be prevented.
  const [one, other] = [funded[0]!, funded[ACCOUNTS_PER_USER]!];
  const tradeAt = (ticks: number): string[] => [
    orderOf(one, { side: 'sell', price: priceOf(ticks) }),
    orderOf(other, { side: 'buy', price: priceOf(ticks) }),
  ];
  return {
    what: 'stops that fire, trailing ones too',
    streams: [
      {
        connections: unfunded.length,
        requests: unfunded.flatMap((trader) => [
          batchOf(trader, { side: 'buy', type: 'stop', stop_price: priceOf(1) }),
          batchOf(trader, { side: 'buy', type: 'trailing_stop', trailing_offset: '0.01' }),
        ]),
      },
      { connections: 1, requests: [...tradeAt(0), ...tradeAt(-2), ...tradeAt(2)] },
    ],
  };
}

function splits(funded: readonly Trader[]): Attack {
  return {
    what: `splits and merges of sets of ${MARKETS_IN_GROUP} markets`,
    streams: [
      {
        connections: AT_ONCE,
        requests: funded.flatMap(({ accountId, token }) =>
          ['split', 'merge'].map((act) =>
            wireRequest(`/event-groups/${GROUP}/${act}`, token, { account_id: accountId, size: '1' }),
          ),
        ),
      },
    ],
  };
}

function massQuotes(funded: readonly Trader[], contracts: readonly string[]): Attack {
  const quotesOf = ({ accountId, token }: Trader, step: number): string =>
    wireRequest('/quotes/mass', token, {
      account_id: accountId,
      quotes: contracts.map((market_id) => ({
        market_id,
        bid: { price: `0.1${step}`, size: '10' },
        ask: { price: `0.8${step}`, size: '10' },
      })),
    });
  return {
    what: `mass quotes in ${MARKETS_IN_GROUP} markets`,
    streams: [
      {
        connections: funded.length,
        requests: [1, 2, 3].flatMap((step) => funded.map((trader) => quotesOf(trader, step))),
      },
    ],
  };
}

function orderLists(funded: readonly Trader[]): Attack {
  const terms = { market_id: CONTESTED, side: 'sell', size: '0.001' };
  return {
    what: 'order lists',
    streams: [
      {
        connections: AT_ONCE,
        requests: funded.flatMap(({ accountId, token }) => [
          ...Array.from({ length: 4 }, () =>
            wireRequest('/order-lists', token, {
              account_id: accountId,
              type: 'oco',
              orders: [
                { ...terms, type: 'limit', price: priceOf(100_000) },
                { ...terms, type: 'stop_limit', stop_price: priceOf(-100_000), price: priceOf(-100_000) },
              ],
            }),
          ),
          wireDelete(`/orders?market_id=${CONTESTED}&account_id=${accountId}`, token),
        ]),
      },
    ],
  };
}

/** Orders that trade, that rest, and that are cancelled. */
function singles(funded: readonly Trader[]): Attack {
  return {
    what: `single orders, ${SINGLES_AT_ONCE} at once`,
    streams: [
      {
        connections: SINGLES_AT_ONCE,
        requests: funded.flatMap((trader, i) => {
          const side = i < funded.length / 2 ? 'sell' : 'buy';
          const away = side === 'sell' ? 1_000 : -1_000;
          return [
            orderOf(trader, { side, price: priceOf(0), client_order_id: `hostile-${SERIAL}` }),
            orderOf(trader, { side, price: priceOf(away) }),
            wireDelete(`/orders?market_id=${CONTESTED}&account_id=${trader.accountId}`, trader.token),
          ];
        }),
      },
    ],
  };
}

function lists(users: readonly Person[]): Attack {
  return {
    what: `${LISTS_AT_ONCE} lists of orders at once`,
    streams: [{ connections: LISTS_AT_ONCE, requests: users.map((user) => user.get('/orders?limit=100')) }],
  };
}

function exports([one, other]: readonly Person[]): Attack {
  const requests = [one!, other!].map((user) =>
    user.get(`/accounts/${user.accountIds[0]}/fills`).replace('\r\n\r\n', '\r\nAccept: text/csv\r\n\r\n'),
  );
  return {
    what: `${EXPORTS_AT_ONCE} exports of ${ORDERS_MADE.toLocaleString('en-US')} fills at once`,
    streams: [{ connections: EXPORTS_AT_ONCE, requests }],
  };
}

async function receipts([one, other]: readonly Person[]): Promise<Attack> {
  const requests: string[] = [];
  for (const user of [one!, other!]) {
    const { data } = await user.call<{ data: { order_id: string }[] }>(200, 'GET', '/orders?limit=200');
    requests.push(...data.map(({ order_id }) => user.get(`/orders/${order_id}/receipt`)));
  }
  return { what: 'receipts', streams: [{ connections: AT_ONCE, requests }] };
}

function balances(users: readonly Person[], lastSequence: number): Attack {
  return {
    what: 'balances as of earlier moments',
    streams: [
      {
        connections: AT_ONCE,
        requests: Array.from({ length: 500 }, (_, i) => {
          const user = users[i % 2]!;
          const sequence = Math.floor(lastSequence * (1 - i / 1_000));
          return user.get(`/accounts/${user.accountIds[0]}/balances?at_sequence=${sequence}`);
        }),
      },
    ],
  };
}

function statements([one, other]: readonly Person[]): Attack {
  return {
    what: 'statements',
    streams: [
      {
        connections: AT_ONCE,
        requests: [one!, other!].flatMap((user) => [
          user.get(`/accounts/${user.accountIds[0]}/statements?limit=200`),
          user.get('/accounts/statements?limit=200'),
        ]),
      },
    ],
  };
}

async function images(users: readonly Person[]): Promise<Attack> {
  const size = { width: IMAGE_SIDE, height: IMAGE_SIDE, channels: 3, background: '#123456' } as const;
  const image = await sharp({ create: size }).png().toBuffer();
  const requests: string[] = [];
  for (const user of users) {
    const { id } = await user.call<{ id: number }>(200, 'POST', '/pet', { name: 'Rex', photoUrls: [] });
    requests.push(
      [
        `POST /pet/${id}/uploadImage HTTP/1.1`,
        'Host: bench',
        `Authorization: Bearer ${user.token}`,
        'Content-Type: application/octet-stream',
        `Content-Length: ${image.length}`,
        '',
        image.toString('latin1'),
      ].join('\r\n'),
    );
  }
  return {
    what: `images of ${Math.floor(IMAGE_SIDE ** 2 / 1e6)} megapixels`,
    streams: [{ connections: AT_ONCE, requests }],
  };
}

/** Step-ups of all users, and log-ins of strangers from as many networks as a provider has. */
function logIns(users: readonly Person[]): Attack {
  return {
    what: 'step-ups, and log-ins of strangers from all networks of a provider',
    streams: [
      {
        connections: AT_ONCE,
        requests: users.map(({ token, password }) => wireRequest('/user/step-up', token, { password })),
      },
      {
        connections: AT_ONCE,
        requests: Array.from({ length: NETWORKS }, (_, i) =>
          [
            'GET /user/login HTTP/1.1',
            'Host: bench',
            `Authorization: Basic ${Buffer.from(`customer-${i % 50}:wrong`).toString('base64')}`,
            `X-Forwarded-For: 2001:db8:${(i >> 8).toString(16)}:${(i & 0xff).toString(16)}::1`,
            '',
            '',
          ].join('\r\n'),
        ),
      },
    ],
  };
}

async function makeGroup(service: BenchService): Promise<string[]> {
  const contracts = Array.from({ length: MARKETS_IN_GROUP }, (_, i) => `${GROUP}-${i}`);
  for (const contract of contracts)
    await service.createMarket(contract, { kind: 'event', base_asset: undefined, lot_size: '1' });
  const group = { event_group_id: GROUP, title: 'Bench', market_ids: contracts };
  await service.operate('POST', '/admin/event-groups', group, 201);
  return contracts;
}

function orderOf({ accountId, token }: Trader, terms: object): string {
  return wireRequest('/orders', token, {
    market_id: CONTESTED,
    account_id: accountId,
    type: 'limit',
    size: '0.001',
    ...terms,
  });
}

function priceOf(ticks: number): string {
  return ((MIDDLE_TICKS + ticks) / 100).toFixed(2);
}

function wireDelete(path: string, token: string): string {
  return [`DELETE ${path} HTTP/1.1`, 'Host: bench', `Authorization: Bearer ${token}`, '', ''].join('\r\n');
}
