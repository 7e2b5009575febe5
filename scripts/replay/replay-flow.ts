import { performance } from 'node:perf_hooks';
import type { ApiClient } from '../support/api-client.js';
import { percentile } from '../support/statistics.js';
import type { RecordedFlow } from './recorded-flow.js';
import {
  count,
  type LedgerVerdict,
  type PublicTrade,
  type ReplayCredentials,
  ReplayMarket,
} from './replay-market.js';
import { SendWindow } from './send-window.js';

/** How much of the truth came out again. */
export interface Agreement {
  readonly recorded: number;
  readonly reproduced: number;
}

export interface ReplayReport {
  readonly flow: string;
  readonly marketId: string;
  readonly orders: number;
  readonly cancels: number;
  /** Cancels of orders that had been filled by then. */
  readonly cancelsOfFinished: number;
  /** How many orders were refused, by code. */
  readonly refusals: ReadonlyMap<string, number>;
  readonly elapsedSeconds: number;
  /** From sending a request of order entry to its durable answer. */
  readonly latencyMs: { readonly p50: number; readonly p99: number };
  readonly tradesMade: number;
  /** Trades of the recording that were made again, with the same price and size. */
  readonly trades: Agreement;
  /** Moments of the recording at which best bid and best ask were both the same. */
  readonly topOfBook: Agreement;
  readonly ledger: LedgerVerdict;
}

export interface ReplayOptions {
  readonly client: ApiClient;
  readonly credentials: ReplayCredentials;
  /** Called from time to time with the number of events processed. */
  readonly onProgress?: (events: number) => void;
}

/**
 * Sends a flow through the HTTP API of a running service, and compares the results with the recording. Rejects with
 * UnexpectedAnswer if the replay cannot continue after an answer.
 */
export async function replayFlow(
  flow: RecordedFlow,
  { client, credentials, onProgress }: ReplayOptions,
): Promise<ReplayReport> {
  const market = await ReplayMarket.open(client, credentials, flow);
  const recordedTrades: PublicTrade[] = [];
  let orders = 0;
  let cancels = 0;
  let books = 0;
  let booksReproduced = 0;
  let window = new SendWindow();

  const send = async (): Promise<void> => {
    const { creates, cancels: leaving, lateCancels } = window;
    window = new SendWindow();
    await Promise.all([
      market.place('buy', creates.buy),
      market.place('sell', creates.sell),
      ...leaving.map((order) => market.cancel(order)),
    ]);
    await Promise.all(lateCancels.map((order) => market.cancel(order)));
  };

  const startedAt = performance.now();
  for (const [i, event] of flow.events.entries()) {
    switch (event.kind) {
      case 'create':
        if (!window.admitsCreate(event.order)) await send();
        window.create(event.order);
        orders++;
        break;
      case 'cancel':
        if (!window.admitsCancel()) await send();
        window.cancel(event.order);
        cancels++;
        break;
      case 'trade':
        recordedTrades.push(event);
        break;
      case 'top_of_book': {
        await send();
        const { bid, ask } = await market.topOfBook();
        books++;
        if (bid === event.bid && ask === event.ask) booksReproduced++;
        break;
      }
    }
    onProgress?.(i + 1);
  }
  await send();
  const elapsedSeconds = (performance.now() - startedAt) / 1_000;

  const trades = await market.trades();
  const ledger = await market.checkLedger();
  await market.clear();
  return {
    flow: flow.name,
    marketId: market.marketId,
    orders,
    cancels,
    cancelsOfFinished: market.cancelsOfFinished,
    refusals: market.refusals,
    elapsedSeconds,
    latencyMs: { p50: percentile(market.latenciesMs, 0.5), p99: percentile(market.latenciesMs, 0.99) },
    tradesMade: trades.length,
    trades: { recorded: recordedTrades.length, reproduced: countShared(recordedTrades, trades) },
    topOfBook: { recorded: books, reproduced: booksReproduced },
    ledger,
  };
}

/** How many of `wanted` are among `found`, each found one answering for one wanted. */
function countShared(wanted: readonly PublicTrade[], found: readonly PublicTrade[]): number {
  const left = new Map<string, number>();
  for (const { price, size } of found) count(left, `${price} ${size}`);
  let shared = 0;
  for (const { price, size } of wanted) {
    const key = `${price} ${size}`;
    const remaining = left.get(key) ?? 0;
    if (remaining === 0) continue;
    left.set(key, remaining - 1);
    shared++;
  }
  return shared;
}
