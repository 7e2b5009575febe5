import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type TrailingStop, trailingDistance, TrailingStops } from './trailing-stops.js';
import type { Side } from './types.js';

interface Stop extends TrailingStop {
  /** The best price since it was accepted, counted anew with every trade. */
  knows: number;
}

const distance = fc.oneof(
  fc.record({ trailingTicks: fc.integer({ min: 1, max: 12 }), trailingBps: fc.constant(null) }),
  fc.record({ trailingTicks: fc.constant(null), trailingBps: fc.integer({ min: 1, max: 1_500 }) }),
);

/** Half of the events are trades; the others place a stop, or remove one. */
const events = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('trade' as const), step: fc.integer({ min: -6, max: 6 }) }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('place' as const), distance }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), pick: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('rebuild' as const) }) },
  ),
  { maxLength: 120 },
);

describe('trailing stops', () => {
  it.each(['buy', 'sell'] as const)('%s as each of them alone would, also when read back', (side) => {
    fc.assert(
      fc.property(events, (some) => {
        let queue = new TrailingStops<Stop>(side);
        const waiting: Stop[] = [];
        let price = 100;
        some.forEach((event, orderId) => {
          switch (event.kind) {
            case 'place': {
              const stop = { ...event.distance, orderId, bestTicks: price, stopIndex: -1, knows: price };
              waiting.push(stop);
              queue.add(stop);
              break;
            }
            case 'remove': {
              const [stop] = waiting.splice(event.pick % Math.max(1, waiting.length), 1);
              if (stop !== undefined) queue.remove(stop);
              break;
            }
            case 'rebuild':
              queue = new TrailingStops<Stop>(side);
              for (const stop of waiting) queue.add(Object.assign(stop, { stopIndex: -1 }));
              break;
            case 'trade':
              price = Math.max(1, price + event.step);
              queue.follow(price);
              expect(takeReached(queue, price)).toEqual(expectedAt(side, waiting, price));
          }
          expect(queue.size).toBe(waiting.length);
        });
      }),
      { numRuns: 300 },
    );
  });

  it('has a distance in whole ticks, rounded up, however large the price', () => {
    const bps = (trailingBps: number) => ({ trailingTicks: null, trailingBps });
    expect(trailingDistance(bps(1), 1)).toBe(1);
    expect(trailingDistance(bps(250), 4_000)).toBe(100);
    expect(trailingDistance(bps(250), 4_001)).toBe(101);
    expect(trailingDistance(bps(1), 9_007_199_254_730_001)).toBe(900_719_925_474);
    expect(trailingDistance(bps(9_999), Number.MAX_SAFE_INTEGER)).toBe(9_006_298_534_815_517);
    expect(trailingDistance({ trailingTicks: 7, trailingBps: null }, 4_000)).toBe(7);
  });
});

function takeReached(queue: TrailingStops<Stop>, price: number): number[] {
  const reached: number[] = [];
  for (let stop = queue.reachedBy(price); stop !== undefined; stop = queue.reachedBy(price)) {
    queue.remove(stop);
    reached.push(stop.orderId);
  }
  return reached.sort((a, b) => a - b);
}

/** Takes those that the price triggers from the list. */
function expectedAt(side: Side, waiting: Stop[], price: number): number[] {
  const reached = waiting.filter((stop) => {
    stop.knows = side === 'sell' ? Math.max(stop.knows, price) : Math.min(stop.knows, price);
    const away = trailingDistance(stop, stop.knows);
    return side === 'sell' ? price <= stop.knows - away : price >= stop.knows + away;
  });
  for (const stop of reached) waiting.splice(waiting.indexOf(stop), 1);
  return reached.map(({ orderId }) => orderId);
}
