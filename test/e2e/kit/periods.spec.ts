import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeCursor } from '../../../src/kit/http/pagination.js';
import type { TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { approvedKyc } from '../../support/clients/kyc-client.js';
import { createMarket, limit } from '../../support/clients/markets-client.js';
import { addIban, payOut, startBank } from '../../support/clients/payouts-client.js';
import { queryOnce } from '../../support/core.js';

const MARKET = 'PERIODS';

/** Every list of what happened, with the field that `from` and `to` select by. */
const LISTS: readonly [path: string, time: string][] = [
  [`/markets/${MARKET}/trades`, 'executed_at'],
  [`/markets/${MARKET}/candles`, 'start'],
  [`/markets/${MARKET}/fills`, 'executed_at'],
  ['/accounts/me/fills', 'executed_at'],
  ['/orders', 'created_at'],
  [`/orders?market_id=${MARKET}&status=filled`, 'created_at'],
  ['/orders?status=open', 'created_at'],
  ['/accounts/me/entries', 'created_at'],
  ['/wallets/WALLET/transfers', 'created_at'],
  ['/accounts/me/transfers', 'created_at'],
  ['/payouts', 'created_at'],
  ['/payouts?status=pending', 'created_at'],
  ['/news', 'published_at'],
  ['/admin/payouts', 'created_at'],
  ['/admin/payouts?status=pending&rail=sepa', 'created_at'],
  ['/admin/orders', 'created_at'],
  [`/admin/orders?market_id=${MARKET}&status=filled`, 'created_at'],
  ['/admin/orders?status=open', 'created_at'],
  ['/admin/trades', 'executed_at'],
  ['/admin/transfers', 'created_at'],
  ['/admin/transfers?status=completed', 'created_at'],
  ['/admin/audit', 'at'],
];

const REFUSED = [
  'from=2026-01-01T00:00:00.001Z&to=2026-01-01T00:00:00Z',
  'from=2023-02-29T00:00:00Z',
  'to=2026-04-31T00:00:00Z',
  'to=1900-02-29T00:00:00Z',
  'from=2026-01-01T00:00:00%2B02:00',
  'from=2026-01-01T00:00:00',
  'from=2026-01-01',
  'to=1767225600000',
  'to=1969-12-31T23:59:59Z',
  'from=2026-01-01T24:00:00Z',
  'from=2026-01-01T00:00:00.0001Z',
  'from=',
  'to=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z',
  'from[a]=2026-01-01T00:00:00Z',
  `from=${encodeURIComponent('٢٠٢٦-01-01T00:00:00Z')}`,
];

describe('lists of a period', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  let wallet: string;

  beforeAll(async () => {
    app = await startBank();
    [demo, maker, operator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
    ]);
    await createMarket(operator, MARKET);
    // Acts for the audit log.
    for (const name of ['A', 'B']) await operator.post('/admin/accounts', { name, owner: 'client:maker' });
    await approvedKyc(demo, operator);
    const bankAccount = await addIban(demo);
    ({ wallet_id: wallet } = (await demo.post('/wallets', { name: 'Periods' })).body);
    const destination = { type: 'wallet', wallet_id: wallet };
    for (let round = 1; round <= 4; round++) {
      await maker.place(limit(MARKET, 'sell', '100', '1'));
      await demo.place(limit(MARKET, 'buy', '100', '1'));
      await demo.place(limit(MARKET, 'buy', '1', '1'));
      await demo.post('/accounts/me/transfers', { asset: 'USD', amount: '1', destination });
      await payOut(demo, bankAccount, '1');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await queryOnce(
      app.config.databaseUrl!,
      `INSERT INTO candles SELECT '${MARKET}', 60, start, 1, 1, 1, 1, 1
       FROM generate_series('2024-02-28T23:58Z'::timestamptz, '2024-02-29T00:02Z', '1 minute') AS start`,
    );
  });

  afterAll(() => app.close());

  const callerOf = (path: string): Caller => (path.startsWith('/admin') ? operator : demo);
  const pathOf = (path: string, query: string): string =>
    `${path.replace('WALLET', wallet)}${path.includes('?') ? '&' : '?'}${query}`;

  /** All of a list, read in pages of so many. */
  async function read(path: string, query: string, pageSize = 200): Promise<Json[]> {
    return callerOf(path).walk(pathOf(path, query), pageSize);
  }

  describe.each(LISTS)('GET %s', (path, time) => {
    it('begin at `from` and end before `to`, whatever the size of the page', async () => {
      const all = await read(path, '');
      const times: string[] = all.map((item) => item[time]);
      expect(new Set(times).size).toBeGreaterThan(2);
      const from = times.at(-2)!;
      const to = times[1]!;
      for (const pageSize of [2, 200]) {
        expect(await read(path, `from=${from}`, pageSize)).toEqual(all.filter((item) => item[time] >= from));
        expect(await read(path, `to=${to}`, pageSize)).toEqual(all.filter((item) => item[time] < to));
        expect(await read(path, `from=${from}&to=${to}`, pageSize)).toEqual(
          all.filter((item) => item[time] >= from && item[time] < to),
        );
      }
    });

    it('are empty where nothing was', async () => {
      const [{ [time]: last }] = await read(path, '');
      for (const query of [
        `from=${last}&to=${last}`,
        'to=1970-01-01T00:00:00Z',
        'from=9999-12-31T23:59:59.999Z',
        'from=1980-02-29T00:00:00Z&to=1980-03-01T00:00:00.0Z',
      ]) {
        expect(await callerOf(path).get(pathOf(path, query)), query).toMatchObject({
          status: 200,
          body: { data: [], next_cursor: null },
        });
      }
    });

    it('are whole where the period is', async () => {
      const all = await read(path, '');
      expect(await read(path, 'from=1970-01-01T00:00:00Z&to=9999-12-31T23:59:59.999Z')).toEqual(all);
    });

    it('refuse other periods and other forms of a time', async () => {
      for (const query of REFUSED) {
        expect(await callerOf(path).get(pathOf(path, query)), query).toMatchObject({
          status: 400,
          body: { error: { code: 'validation_failed' } },
        });
      }
    });

    it('answer cursors of their own making alone', async () => {
      for (const parts of [['a'], [1, 'a'], [1, 2, 3], []]) {
        expect(await callerOf(path).get(pathOf(path, `cursor=${encodeCursor(parts)}`))).toMatchObject({
          status: 400,
          body: { error: { code: 'invalid_cursor' } },
        });
      }
      for (const parts of [[Number.MAX_SAFE_INTEGER], [Number.MAX_SAFE_INTEGER, 1], [0], [0, 0]]) {
        const { status } = await callerOf(path).get(pathOf(path, `cursor=${encodeCursor(parts)}`));
        expect([200, 400], JSON.stringify(parts)).toContain(status);
      }
    });
  });
});
