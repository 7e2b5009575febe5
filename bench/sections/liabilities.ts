import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { median } from '../../scripts/support/statistics.js';
import { BenchService } from '../support/bench-service.js';
import type { BenchContext } from '../support/context.js';
import { type Figure, fixed, limitFigure, rate, ratioFigure } from '../support/figures.js';
import type { LoadResult } from '../support/load-result.js';
import { ordersOneByOne } from '../support/order-load.js';
import { rateOf, runTurn } from '../support/rounds.js';

const MARKET = 'BENCH-LIABILITIES';
const MICROSECONDS_AN_ACCOUNT_MAX = 60;
const ORDERS_RATIO_LEAST = 0.85;
const WARM_UP_ROUNDS = 3;
const CUT_MS_MAX = 600_000;
const POLL_MS = 100;
/** Far above every account that the service opens. */
const FIRST_ACCOUNT = 1_000_000_000_000;

interface Run {
  readonly cut_id: string;
  readonly status: string;
  readonly started_at: string;
  readonly finished_at: string;
  readonly accounts_done: number;
}

/** A cut of what is owed to many accounts: alone, and while orders come as fast as they are answered. */
export async function benchLiabilities(context: BenchContext): Promise<Figure[]> {
  const { accounts } = context.sizes;
  const service = await BenchService.start(await context.createDatabase('bench_liabilities'));
  try {
    await service.createMarket(MARKET);
    await seed(service.databaseUrl, accounts);
    const aloneSeconds = await secondsOf(service, await begin(service));
    const { without, during, seconds } = await underLoad(service, context);
    const ratio = median(during.map(rateOf)) / median(without.map(rateOf));
    const p99Ms = (results: readonly LoadResult[]): string => fixed(median(results.map((one) => one.p99Ms)));
    const many = accounts.toLocaleString('en-US');
    return [
      limitFigure(
        `cut of the liabilities to ${many} accounts`,
        aloneSeconds,
        (accounts * MICROSECONDS_AN_ACCOUNT_MAX) / 1_000_000,
        ' s',
        `two leaves each, without other work; ${fixed(seconds)} s under full load`,
      ),
      ratioFigure(
        `orders/s during the cut / before and after it`,
        ratio,
        ORDERS_RATIO_LEAST,
        `${rate(median(during.map(rateOf)))} (p99 ${p99Ms(during)} ms) / ${rate(median(without.map(rateOf)))} (p99 ${p99Ms(without)} ms)`,
      ),
    ];
  } finally {
    await service.stop();
  }
}

async function underLoad(
  service: BenchService,
  { load, rounds: { rounds, roundMs } }: BenchContext,
): Promise<{ without: LoadResult[]; during: LoadResult[]; seconds: number }> {
  const orders = ordersOneByOne(service, [MARKET]);
  const without: LoadResult[] = [];
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
    const result = await runTurn(load, orders, roundMs);
    if (round >= WARM_UP_ROUNDS) without.push(result);
  }
  const cutId = await begin(service);
  const during: LoadResult[] = [];
  const deadlineMs = performance.now() + CUT_MS_MAX;
  for (;;) {
    const result = await runTurn(load, orders, roundMs);
    if ((await runOf(service, cutId)).status === 'done') break;
    if (performance.now() > deadlineMs) throw new Error('The cut does not end.');
    during.push(result);
  }
  if (during.length === 0) throw new Error('The cut was over before a round of orders: take more accounts.');
  // Both sides of it: orders become slower by themselves while tables and books grow.
  for (let round = 0; round < rounds; round++) without.push(await runTurn(load, orders, roundMs));
  return { without, during, seconds: await secondsOf(service, cutId) };
}

async function begin(service: BenchService): Promise<string> {
  return (await service.operate<Run>('POST', '/admin/liabilities', undefined, 202)).cut_id;
}

async function secondsOf(service: BenchService, cutId: string): Promise<number> {
  const deadlineMs = performance.now() + CUT_MS_MAX;
  for (;;) {
    const run = await runOf(service, cutId);
    if (run.status === 'failed' || performance.now() > deadlineMs) throw new Error('The cut has failed.');
    if (run.status === 'done') return (Date.parse(run.finished_at) - Date.parse(run.started_at)) / 1_000;
    await delay(POLL_MS);
  }
}

async function runOf(service: BenchService, cutId: string): Promise<Run> {
  const { data } = await service.operate<{ data: Run[] }>('GET', '/admin/liabilities');
  return data.find(({ cut_id }) => cut_id === cutId)!;
}

/** Every account has dollars, and every second one bitcoins. */
async function seed(databaseUrl: string, accounts: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('SET synchronous_commit = off');
    await client.query(
      `INSERT INTO accounts (account_id, kind, name, owner, kyc_level, created_at)
       SELECT ${FIRST_ACCOUNT} + place, 'trading', 'bench', 'user:' || ${FIRST_ACCOUNT} + place, 0, now()
       FROM generate_series(1, $1::bigint) AS place`,
      [accounts],
    );
    await client.query(
      `INSERT INTO balances (account_id, asset, available, held)
       SELECT ${FIRST_ACCOUNT} + place, asset, (place * 7919 % 1000000 + 1) * 1e16::numeric, 0
       FROM generate_series(1, $1::bigint) AS place CROSS JOIN (VALUES ('BTC'), ('USD')) AS assets (asset)
       WHERE asset = 'USD' OR place % 2 = 0`,
      [accounts],
    );
    await client.query('VACUUM (ANALYZE) accounts, balances');
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
}
