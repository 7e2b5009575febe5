import { createHash } from 'node:crypto';
import { get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { queryOnce } from '../../support/core.js';
import { type Caller, callerFor } from '../../support/caller.js';
import { createMarket, limit } from '../../support/clients/markets-client.js';

const DAY_MS = 86_400_000;
const market = 'DAY.1-USD';

interface Raw {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Buffer;
}

describe('the trades of a finished day', () => {
  let app: TestApp;
  let demo: Caller;
  let trades: string[];
  const lastWeek = new Date(Date.now() - 7 * DAY_MS).toISOString().slice(0, 10);
  const today = new Date().toISOString().slice(0, 10);

  beforeAll(async () => {
    app = await startTestApp();
    demo = await callerFor(app.url, 'demo');
    const [maker, operator] = await Promise.all([callerFor(app.url, 'maker'), callerFor(app.url, 'admin')]);
    await createMarket(operator, market);
    for (let i = 0; i < 5; i++) {
      await maker.place(limit(market, 'sell', '100', '1'));
      await demo.place(limit(market, 'buy', '100', '1'));
    }
    trades = (await demo.walk(`/markets/${market}/trades`, 50)).map(({ trade_id }) => trade_id).reverse();
    // All that has happened so far was then.
    const past = `'${lastWeek}T23:00:00Z'`;
    await queryOnce(app.config.databaseUrl!, `UPDATE journal SET committed_at = ${past}`);
    await queryOnce(app.config.databaseUrl!, `UPDATE trades SET executed_at = ${past}`);
    await maker.place(limit(market, 'sell', '100', '1'));
    await demo.place(limit(market, 'buy', '100', '1'));
  });

  afterAll(async () => {
    await app.close();
  });

  /** As the bytes come. */
  const ask = (path: string, headers: Record<string, string> = {}): Promise<Raw> =>
    new Promise((resolve, reject) => {
      get(app.url + path, { headers }, (response) => {
        buffer(response).then(
          (body) => resolve({ status: response.statusCode!, headers: response.headers, body }),
          reject,
        );
      }).on('error', reject);
    });

  it('is gzipped CSV with all of them, their checksum, and for good', async () => {
    const { status, headers, body } = await ask(`/markets/${market}/history/${lastWeek}`);
    expect(status).toBe(200);
    const digest = createHash('sha256').update(body).digest('base64');
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-encoding': 'gzip',
      'content-length': `${body.length}`,
      'cache-control': 'public, max-age=31536000, immutable',
      digest: `sha-256=${digest}`,
      'repr-digest': `sha-256=:${digest}:`,
    });
    const rows = parse<Record<string, string>>(gunzipSync(body), { columns: true });
    expect(rows.map(({ trade_id }) => trade_id)).toEqual(trades);
    expect(rows[0]).toMatchObject({ market_id: market, price: '100', size: '1', taker_side: 'buy' });

    const again = await ask(`/markets/${market}/history/${lastWeek}`);
    expect(again.body.equals(body)).toBe(true);
    expect(again.headers['digest']).toBe(headers['digest']);
    const known = await ask(`/markets/${market}/history/${lastWeek}`, {
      'if-none-match': headers['etag'] as string,
    });
    expect(known).toMatchObject({ status: 304, body: Buffer.alloc(0) });
  });

  it('is one and the same for all who ask at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => ask(`/markets/BTC-USD/history/${lastWeek}`)),
    );
    const [first] = answers;
    for (const answer of answers) expect(answer.body.equals(first!.body)).toBe(true);
  });

  it('is a header alone where nothing was traded', async () => {
    const { body } = await ask(`/markets/${market}/history/1970-01-01`);
    expect(gunzipSync(body).toString()).toBe(
      'trade_id,market_id,sequence,price,size,taker_side,executed_at\r\n',
    );
  });

  it.each([today, '9999-12-31', new Date(Date.now() + DAY_MS).toISOString().slice(0, 10)])(
    'is not there for %s, which is not over',
    async (day) => {
      const { status, body } = await ask(`/markets/${market}/history/${day}`);
      expect([status, body.toString()]).toEqual([404, expect.stringContaining('"not_found"')]);
    },
  );

  it('is not there for today because the clock was set forward: it would be kept without its end', async () => {
    const realMs = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => realMs() + 2 * DAY_MS);
    const { status } = await ask(`/markets/${market}/history/${today}`);
    vi.restoreAllMocks();
    expect(status).toBe(404);
  });

  it.each(['2026-02-30', '2026-1-1', 'yesterday', '1969-12-31', '..%2F..%2Fetc', '2026-01-01T00:00', '%00'])(
    'refuses %s, which is no day',
    async (day) => {
      const { status } = await ask(`/markets/${market}/history/${day}`);
      expect(status).toBe(400);
    },
  );

  it('is not there for a market that does not exist', async () => {
    const { status, body } = await ask(`/markets/NO-SUCH/history/${lastWeek}`);
    expect([status, body.toString()]).toEqual([404, expect.stringContaining('"market_not_found"')]);
  });
});
