import { setTimeout as delay } from 'node:timers/promises';
import { showProgress } from '../../src/kit/progress.js';
import { BenchService, type Trader } from '../support/bench-service.js';
import type { BenchContext } from '../support/context.js';
import { type Figure, fixed, limitFigure, rate } from '../support/figures.js';
import { wireGet } from '../support/load-generator.js';
import { MIDDLE_TICKS } from '../support/order-load.js';
import { type Contender, ratioOf, runInTurns } from '../support/rounds.js';

const FEW_FILLS = 1_000;
/** Each fill of both sides takes an order to offer it and one to take it. */
const ORDERS_PER_FILL = 2;
const FILLS_PER_CALL = 10_000;
const SIZE_LOTS = 100_000;
const CONNECTIONS = 16;
/** Two measurements of the same thing differ by so much on a machine that does other work as well. */
const NOISE = 0.15;
/** A service that has many fills to work off says so, and wants to be asked again. */
const ASKED_AGAIN_AFTER_MS = 20;
const FIRST_SECONDS_MAX = 1;
/** More of them say nothing more. */
const FILLS_MAX = 1_000_000;

/** P&L of an account with a long history against that of one with little, in one service that runs in turns. */
export async function benchPnl(context: BenchContext): Promise<Figure[]> {
  const fillsMost = Math.min(context.sizes.history, FILLS_MAX);
  const service = await BenchService.start(await context.createDatabase('bench_pnl'));
  try {
    const [few, many] = service.buyers as [Trader, Trader];
    await tradeBothWays(service, few, 'BENCH-FEW-FILLS', FEW_FILLS);
    await tradeBothWays(service, many, 'BENCH-MANY-FILLS', fillsMost);
    const startedAt = performance.now();
    await untilAnswered(service, many);
    const waitedSeconds = (performance.now() - startedAt) / 1_000;
    await untilAnswered(service, few);
    const byDay = await compare(context, service, many, few);
    const whose = `of an account with ${fillsMost.toLocaleString('en-US')} fills / with ${FEW_FILLS.toLocaleString('en-US')}`;
    return [
      { what: `P&L/s by day, first in first out, ${whose}`, ...byDay },
      limitFigure(
        `first P&L after trading ${fillsMost.toLocaleString('en-US')} fills without a pause`,
        waitedSeconds,
        FIRST_SECONDS_MAX,
        ' s',
        'what had not been worked off on the way',
      ),
    ];
  } finally {
    await service.stop();
  }
}

async function compare(
  { load, rounds }: BenchContext,
  service: BenchService,
  many: Trader,
  few: Trader,
): Promise<Pick<Figure, 'measured' | 'goal' | 'isMet' | 'basis'>> {
  const contender = ({ accountId, token }: Trader): Contender => ({
    service,
    status: 200,
    connections: Array.from({ length: CONNECTIONS }, () => [
      wireGet(`/accounts/${accountId}/pnl?method=fifo&group_by=day`, token),
    ]),
  });
  const measured = await runInTurns(load, { many: contender(many), few: contender(few) }, rounds);
  const ratio = ratioOf(measured.many, measured.few);
  return {
    measured: fixed(ratio),
    goal: '1, but for noise',
    isMet: ratio >= 1 - NOISE,
    basis: `${rate(measured.many.perSecond)} (p50 ${fixed(measured.many.p50Ms)} ms) / ${rate(measured.few.perSecond)}`,
  };
}

/** Buys for two calls and sells for one, over and over, so that a queue of open lots grows and is closed from its head. */
async function tradeBothWays(
  service: BenchService,
  trader: Trader,
  marketId: string,
  fills: number,
): Promise<void> {
  await service.createMarket(marketId);
  const [other] = service.sellers as [Trader];
  const progress = showProgress('Trading', fills);
  for (let made = 0, call = 0; made < fills; call++) {
    const step = Math.min(FILLS_PER_CALL, fills - made);
    const [buyer, seller] = call % 3 === 2 ? [other, trader] : [trader, other];
    await service.makeOrders(
      {
        market_id: marketId,
        kind: 'traded',
        orders: step * ORDERS_PER_FILL,
        levels: 10,
        middle_ticks: MIDDLE_TICKS,
        size_lots: SIZE_LOTS,
      },
      { buyers: [buyer], sellers: [seller] },
    );
    progress.update((made += step));
  }
  progress.stop();
}

async function untilAnswered({ url }: BenchService, { accountId, token }: Trader): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/accounts/${accountId}/pnl`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    await response.arrayBuffer();
    if (response.status === 200) return;
    if (response.status !== 503) throw new Error(`P&L answered ${response.status}`);
    await delay(ASKED_AGAIN_AFTER_MS);
  }
}
