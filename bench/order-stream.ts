/** A seeded stream of orders and cancels that keeps a book at a steady depth, for the benchmarks. */
import type { Side } from '../src/domain/engine/types.js';
import { BareMatching, type StreamCommand } from './bare-matching.js';

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
    if (random() < CROSSING) {
      command = { kind: 'order', id, side, ticks: middle - away * (2 + below(6)), lots: 1 + below(150) };
    } else if (matching.orders.size > random() * 2 * restingOrders) {
      command = { kind: 'cancel', id: takeLive(candidates, matching, below) };
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

/** Draws a live order; those found dead are forgotten. */
function takeLive(candidates: number[], { orders }: BareMatching, below: Below): number {
  for (;;) {
    const index = below(candidates.length);
    const id = candidates[index]!;
    candidates[index] = candidates.at(-1)!;
    candidates.pop();
    if (orders.has(id)) return id;
  }
}

/** Mulberry32: small, fast, and the same on every machine. */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
