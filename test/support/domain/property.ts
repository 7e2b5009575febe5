/** Differential runs of a number of commands, with a printed seed that may be given. */
import fc from 'fast-check';
import { type Bounds, BOUNDS } from '../../../src/domain/engine/bounds.js';
import { isLongRun } from '../rounds.js';
import type { JournalEntry } from './differential.js';
import { type Intent, intent, World } from './intents.js';

/** Large enough that runs of neighbouring seeds share no world. */
const SEED_STEP = 7_919_017;
const SEEDS = 2 ** 31;

/** Low enough for worlds of a few hundred commands to reach them. */
export const LOW_BOUNDS: Bounds = {
  triggersPerCommand: 3,
  triggersPerTurn: 1,
  triggeredWaiting: 5,
  trailingStops: 6,
  lots: 300,
};

/** That of `npm test`, which says the same of the same code each time it runs. */
const USUAL_SEED = 777;

/** `SEED` of the environment, else the usual one, or another one for each of the long runs, which look for what is rare. */
export function seedFromEnvironment(): number {
  const { SEED } = process.env;
  const seed = SEED === undefined ? (isLongRun ? Date.now() % SEEDS : USUAL_SEED) : Number(SEED);
  if (!Number.isInteger(seed)) throw new Error('SEED must be a whole number');
  return seed;
}

export interface Comparison {
  /** Where not all that traders may do. */
  readonly intents?: fc.Arbitrary<Intent>;
  readonly onWorld?: (applied: number) => void;
}

/**
 * Throws at the first difference, with the shortest list of intents that reproduces it; `SHORTEN=no` leaves out the
 * search for it, which takes many runs. A longer run fills the books and slows the naive exchange.
 */
export function compareWithNaiveExchange(
  seed: number,
  commands: number,
  commandsPerWorld: number,
  { onWorld, intents: traders = intent }: Comparison = {},
): void {
  const scenario = fc.array(traders, { minLength: commandsPerWorld, maxLength: commandsPerWorld });
  for (let applied = 0, world = 0; applied < commands; applied += commandsPerWorld, world++) {
    const worldSeed = (seed + world * SEED_STEP) % SEEDS;
    const [intents] = fc.sample(scenario, { seed: worldSeed, numRuns: 1 });
    const bounds = worldSeed % 2 === 0 ? BOUNDS : LOW_BOUNDS;
    const difference = differenceIn(intents!, bounds);
    if (difference !== null && process.env.SHORTEN === 'no') throw difference;
    if (difference !== null) {
      const shortest = shorten(intents!, (some) => differenceIn(some, bounds) !== null);
      throw new Error(
        `SEED=${worldSeed} shows a difference; ${shortest.length} intents suffice:\n` +
          shortest.map((one) => JSON.stringify(one)).join('\n'),
        { cause: differenceIn(shortest, bounds) },
      );
    }
    onWorld?.(applied + commandsPerWorld);
  }
}

/** The commands of a world of random traders, including refused ones. */
export function randomJournal(
  seed: number,
  commands: number,
  bounds: Bounds = LOW_BOUNDS,
): readonly JournalEntry[] {
  return randomWorld(seed, commands, bounds).exchanges.journal;
}

/** As `randomJournal`, of the first seed from this one on after which orders are open: a few worlds end without. */
export function randomJournalWithOpenOrders(
  seed: number,
  commands: number,
  bounds: Bounds = LOW_BOUNDS,
): readonly JournalEntry[] {
  for (let next = seed; ; next += 1) {
    const { exchanges } = randomWorld(next, commands, bounds);
    if (exchanges.state.orders.size > 0) return exchanges.journal;
  }
}

function randomWorld(seed: number, commands: number, bounds: Bounds): World {
  const [intents] = fc.sample(fc.array(intent, { minLength: commands, maxLength: commands }), {
    seed,
    numRuns: 1,
  });
  const world = new World(bounds);
  for (const intended of intents!) world.act(intended);
  return world;
}

/** The first difference that the intents produce, or null. */
function differenceIn(intents: readonly Intent[], bounds: Bounds): Error | null {
  try {
    const world = new World(bounds);
    for (const intended of intents) world.act(intended);
    world.finish();
    return null;
  } catch (error) {
    return error as Error;
  }
}

/** Removes ever smaller parts of the list while the remainder still fails. */
function shorten<T>(list: readonly T[], fails: (some: readonly T[]) => boolean): readonly T[] {
  let shortest = list;
  for (let part = list.length >> 1; part >= 1;) {
    const before = shortest.length;
    for (let start = 0; start < shortest.length;) {
      const without = shortest.toSpliced(start, part);
      if (fails(without)) shortest = without;
      else start += part;
    }
    if (part > 1 || shortest.length === before) part >>= 1;
  }
  return shortest;
}
