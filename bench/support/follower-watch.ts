/**
 * How far everything that follows the journal lags behind it while a load runs: by the service's own metrics, and by
 * trades whose traces are looked for in what customers read.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { BenchService, Trader } from './bench-service.js';
import { MIDDLE_TICKS } from './order-load.js';
import { TRADE_IDS } from '../../src/modules/markets/names/ids.js';

const SAMPLED_EVERY_MS = 250;
const TRADED_EVERY_MS = 1_000;
const ASKED_AGAIN_AFTER_MS = 50;
/** Whoever is still not there by then counts with this time. */
const LOOKED_FOR_MS_MAX = 30_000;
/** Far enough from the middle to take whatever the load has left in the book. */
const TAKEN_AT = [
  { side: 'buy', price: ((MIDDLE_TICKS + 100) / 100).toFixed(2) },
  { side: 'sell', price: ((MIDDLE_TICKS - 100) / 100).toFixed(2) },
];
const TRADES_TRIED_MAX = 100;

interface Traded {
  readonly tradeId: string;
  /** The place of the trade in the ledger's one sequence. */
  readonly sequence: number;
  readonly acknowledgedAt: number;
  /** The market's volume, which includes it. */
  readonly volume: number;
}

interface Trace {
  readonly path: string;
  /** Whether the answer has the trade. */
  readonly isIn: (answer: never) => boolean;
}

export class FollowerWatch {
  /** Of each follower, by its name. */
  readonly lagsMs = new Map<string, number[]>();

  constructor(
    private readonly service: BenchService,
    private readonly marketId: string,
    /** Who trades nothing else, so that the newest fill is the one looked for. */
    private readonly trader: Trader,
  ) {}

  /** Watches until it is stopped. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.sampleMetrics(signal), this.tradeAndLook(signal)]);
  }

  private async sampleMetrics(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for (const [follower, seconds] of await this.service.followerLags()) {
        this.note(`${follower}, by its own account`, seconds * 1_000);
      }
      await delay(SAMPLED_EVERY_MS);
    }
  }

  private async tradeAndLook(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const startedAtMs = Date.now();
      await this.lookForOne();
      await delay(Math.max(0, startedAtMs + TRADED_EVERY_MS - Date.now()));
    }
  }

  /** Trades once, and looks for it everywhere at the same time. */
  private async lookForOne(): Promise<void> {
    const from = new Date(Date.now() - 1_000).toISOString();
    const traded = await this.trade();
    const looking = Object.entries(this.tracesOf(traded, from)).map(async ([follower, trace]) => {
      await this.untilFound(trace, traded.acknowledgedAt + LOOKED_FOR_MS_MAX);
      this.note(follower, performance.now() - traded.acknowledgedAt);
    });
    await Promise.all(looking);
  }

  private async trade(): Promise<Traded> {
    for (let tried = 0; tried < TRADES_TRIED_MAX; tried++) {
      // The load leaves offers in the book, or bids.
      const { fills } = await this.service.placeOrder<{ fills: { trade_id: string }[] }>(this.trader, {
        ...TAKEN_AT[tried % TAKEN_AT.length],
        market_id: this.marketId,
        type: 'limit',
        size: '0.001',
        time_in_force: 'IOC',
      });
      const tradeId = fills.at(-1)?.trade_id;
      if (tradeId === undefined) continue;
      const acknowledgedAt = performance.now();
      const path = `/markets/${this.marketId}`;
      const { body } = await this.service.look<{ ticker: { volume_24h: string } }>(this.trader, path);
      const volume = Number(body.ticker.volume_24h);
      return { tradeId, sequence: TRADE_IDS.parse(tradeId)!, acknowledgedAt, volume };
    }
    throw new Error('There is nothing to trade with.');
  }

  private tracesOf({ tradeId, sequence, volume }: Traded, from: string): Record<string, Trace> {
    const account = `/accounts/${this.trader.accountId}`;
    return {
      fills: {
        path: `${account}/fills?limit=1`,
        isIn: ({ data }: { data: { trade_id: string }[] }) => data[0]?.trade_id === tradeId,
      },
      'P&L': {
        path: `${account}/pnl`,
        isIn: ({ ledger_sequence }: { ledger_sequence: number }) => ledger_sequence >= sequence,
      },
      statements: {
        path: `${account}/statements?from=${from}&limit=100`,
        isIn: ({ data }: { data: { reference: string | null }[] }) =>
          data.some(({ reference }) => reference === tradeId),
      },
      candles: {
        path: `/markets/${this.marketId}/candles?interval=1d&limit=2`,
        isIn: ({ data }: { data: { volume: string }[] }) =>
          data.reduce((sum, candle) => sum + Number(candle.volume), 0) >= volume,
      },
      'signed head': {
        path: '/journal/head',
        isIn: (head: { sequence: number }) => head.sequence >= sequence,
      },
    };
  }

  private async untilFound({ path, isIn }: Trace, deadline: number): Promise<void> {
    while (performance.now() < deadline) {
      const { status, body } = await this.service.look(this.trader, path);
      if (status === 200 && isIn(body as never)) return;
      // A service that has much to work off says so, and wants to be asked again.
      if (status !== 200 && status !== 503) throw new Error(`${path} answered ${status}.`);
      await delay(ASKED_AGAIN_AFTER_MS);
    }
  }

  private note(follower: string, lagMs: number): void {
    const lags = this.lagsMs.get(follower);
    if (lags === undefined) this.lagsMs.set(follower, [lagMs]);
    else lags.push(lagMs);
  }
}
