import type { Side } from '../../src/domain/engine/types.js';
import { AMOUNT_DECIMALS, formatAmount } from '../../src/domain/money/amount.js';
import type { FlowEvent, FlowOrder, RecordedFlow } from './recorded-flow.js';

export interface SyntheticFlowOptions {
  /** The same seed makes the same flow, on every machine. */
  readonly seed: number;
  readonly orders: number;
}

const START_PRICE_CENTS = 60_000_00;
/** Orders further from the middle than this do not happen; nearer ones are the more frequent. */
const SPREAD_CENTS_MAX = 500;
/** How deep on the other side an order may be priced, so that about a third of them trade. */
const CROSSING_CENTS_MAX = 120;
const SIZE_SATOSHI_MAX = 50_000_000;
/** Beyond this many open orders each new one cancels the oldest, which bounds the book. */
const OPEN_ORDERS_MAX = 2_000;
const CANCEL_SHARE = 0.4;

/** A flow that never happened: a price that wanders, orders around it, and cancels. */
export function synthesizeFlow({ seed, orders }: SyntheticFlowOptions): RecordedFlow {
  const random = randomNumbers(seed);
  const upTo = (limit: number): number => Math.floor(random() * limit);
  const events: FlowEvent[] = [];
  const open: FlowOrder[] = [];
  let middleCents = START_PRICE_CENTS;
  for (let id = 1; id <= orders; id++) {
    middleCents += upTo(21) - 10;
    const side: Side = random() < 0.5 ? 'buy' : 'sell';
    const awayCents = Math.floor(SPREAD_CENTS_MAX * random() ** 2) - upTo(CROSSING_CENTS_MAX);
    const order: FlowOrder = {
      id: String(id),
      side,
      price: decimal(side === 'buy' ? middleCents - awayCents : middleCents + awayCents, 2),
      size: decimal(1 + upTo(SIZE_SATOSHI_MAX), 8),
    };
    events.push({ kind: 'create', order });
    open.push(order);
    if (random() < CANCEL_SHARE) events.push({ kind: 'cancel', order: take(open, upTo(open.length)) });
    if (open.length > OPEN_ORDERS_MAX) events.push({ kind: 'cancel', order: open.shift()! });
  }
  return {
    name: `synthetic flow (seed ${seed}, ${orders} orders)`,
    tickSize: '0.01',
    lotSize: '0.00000001',
    events,
  };
}

/** Removes and answers one item, filling its place with the last: the order among them means nothing. */
function take<T>(items: T[], at: number): T {
  const taken = items[at]!;
  const last = items.pop()!;
  if (at < items.length) items[at] = last;
  return taken;
}

/** The canonical decimal of `units` times 10^-decimals. */
function decimal(units: number, decimals: number): string {
  return formatAmount(BigInt(units) * 10n ** BigInt(AMOUNT_DECIMALS - decimals));
}

/** Mulberry32: 32 bits of state, and good enough to shape a load. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
