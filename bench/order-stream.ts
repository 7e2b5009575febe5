/** A seeded stream of orders and cancels that keeps a book at a steady depth, for the benchmarks. */
import type { Side } from '../src/domain/engine/types.js';
import { BareMatching, type StreamCommand } from './bare-matching.js';
import { randomFrom } from './support/random.js';

/** On how many price levels the orders rest, both sides together. */
const LEVELS = 200;
const MIDDLE_TICKS = 10_000;
/** How far the middle wanders. */
const WANDER_TICKS = 20;

/** The share of commands that cross the spread; the others come and go near the touch. */
const CROSSING = 0.15;

type Below = (limit: number) => number;

/** Orders queue near the touch, some cross it, and as many are cancelled as keep the book at its depth. */
export function streamOf(commands: number, restingOrders: number, seed: number): StreamCommand[] {
  const random = randomFrom(seed);
  const below: Below = (limit) => Math.floor(random() * limit);
  const matching = new BareMatching();
  const stream: StreamCommand[] = [];
  /** Ids of orders that rested once; the live ones among them may be cancelled. */
  const candidates: number[] = [];
  let wander = 0;
  for (let id = 1; id <= commands; id++) {
    if (id % 100 === 0) wander = Math.max(-WANDER_TICKS, Math.min(WANDER_TICKS, wander + below(3) - 1));
    const middle = MIDDLE_TICKS + wander;
    const side: Side = random() < 0.5 ? 'buy' : 'sell';
    const away = side === 'buy' ? -1 : 1;
    let command: StreamCommand;
    const crosses = random() < CROSSING;
    const isFull = !crosses && matching.orders.size > random() * 2 * restingOrders;
    const cancelled = isFull ? takeLive(candidates, matching, below) : undefined;
    if (crosses) {
      command = { kind: 'order', id, side, ticks: middle - away * (2 + below(6)), lots: 1 + below(150) };
    } else if (cancelled !== undefined) {
      command = { kind: 'cancel', id: cancelled };
    } else {
      // The product of two draws is small more often than not: most orders stand close to the touch.
      const distance = 1 + Math.floor(random() * random() * (LEVELS / 2 - WANDER_TICKS));
      command = { kind: 'order', id, side, ticks: middle + away * distance, lots: 1 + below(100) };
      candidates.push(id);
    }
    matching.apply(command);
    stream.push(command);
  }
  return stream;
}

/** Draws a live order, if there is one; those found dead are forgotten. */
function takeLive(candidates: number[], { orders }: BareMatching, below: Below): number | undefined {
  while (candidates.length > 0) {
    const index = below(candidates.length);
    const id = candidates[index]!;
    candidates[index] = candidates.at(-1)!;
    candidates.pop();
    if (orders.has(id)) return id;
  }
  return undefined;
}
