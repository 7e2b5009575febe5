import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../../scripts/support/statistics.js';
import type { BenchContext } from '../support/context.js';
import { type Figure, fixed, limitFigure, rate } from '../support/figures.js';
import { ordersOneByOne } from '../support/order-load.js';
import { answersIn, rateOf, runInTurns, runTurn } from '../support/rounds.js';

const MARKET = 'BENCH-PROJECTION';
const WAL_BYTES_AN_ORDER_MAX = 700;
const LAG_MS_MAX = 500;
const SAMPLED_EVERY_MS = 50;

/** What orders cost beyond their commit, and how soon it is done. */
export async function benchProjection(context: BenchContext): Promise<Figure[]> {
  await context.service.createMarket(MARKET);
  return [await walAnOrder(context), await lagOfProjection(context)];
}

/** All that the database writes ahead for an order: its commit, and what is done of it afterwards. */
async function walAnOrder({ service, load, rounds }: BenchContext): Promise<Figure> {
  const contender = ordersOneByOne(service, [MARKET]);
  await service.ask('CREATE EXTENSION IF NOT EXISTS pg_walinspect');
  // What other sections left would be vacuumed at some moment, and every page of it be written whole.
  await service.ask('VACUUM');
  await service.ask('CHECKPOINT');
  // After a checkpoint the first change of every page writes the whole page: most of that is over then.
  await runInTurns(load, { orders: contender }, rounds);
  const from = await placeInWal();
  const orders = answersIn(await runTurn(load, contender, rounds.longRoundMs));
  await service.drain();
  const to = await placeInWal();
  const [{ bytes, page_bytes }] = (await service.ask<{ bytes: string; page_bytes: string }>(
    `SELECT pg_wal_lsn_diff($2, $1) AS bytes, sum(fpi_size) AS page_bytes FROM pg_get_wal_stats($1, $2)`,
    [from, to],
  )) as [{ bytes: string; page_bytes: string }];
  const [anOrder, pagesAnOrder] = [Number(bytes) / orders, Number(page_bytes) / orders];
  return limitFigure(
    'WAL bytes an order, all told',
    anOrder,
    WAL_BYTES_AN_ORDER_MAX,
    '',
    `${fixed(anOrder - pagesAnOrder)} without images of whole pages; ${orders.toLocaleString('en-US')} orders`,
  );

  async function placeInWal(): Promise<string> {
    const [row] = await service.ask<{ lsn: string }>('SELECT pg_current_wal_insert_lsn() AS lsn');
    return row!.lsn;
  }
}

/** How far the projected tables lag behind commits under full load. */
async function lagOfProjection({ service, load, rounds }: BenchContext): Promise<Figure> {
  const contender = ordersOneByOne(service, [MARKET]);
  const lagsMs: number[] = [];
  const state = { isOver: false };
  const turn = runTurn(load, contender, rounds.longRoundMs).finally(() => (state.isOver = true));
  const sample = async (): Promise<void> => {
    while (!state.isOver) {
      const lagSeconds = await service.metric('tradepost_core_projection_lag_seconds');
      if (lagSeconds !== undefined) lagsMs.push(lagSeconds * 1_000);
      await delay(SAMPLED_EVERY_MS);
    }
  };
  const [result] = await Promise.all([turn, sample()]);
  await service.drain();
  const what = 'projection lag at full load, p99';
  if (lagsMs.length === 0) {
    return { what, measured: '–', goal: `≤ ${LAG_MS_MAX} ms`, basis: 'the service tells of no projection' };
  }
  return limitFigure(
    what,
    percentile(lagsMs, 0.99),
    LAG_MS_MAX,
    ' ms',
    `p50 ${fixed(percentile(lagsMs, 0.5))} ms, most ${fixed(percentile(lagsMs, 1))} ms, ${lagsMs.length} samples at ${rate(rateOf(result))}`,
  );
}
