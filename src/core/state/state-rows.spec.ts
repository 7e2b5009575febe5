import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../../test/support/domain/differential.js';
import { LOW_BOUNDS, randomJournal, seedFromEnvironment } from '../../../test/support/domain/property.js';
import type { Outcome } from '../../domain/engine/commands.js';
import { Engine } from '../../domain/engine/engine.js';
import { EngineState } from '../../domain/engine/state.js';
import { StateHash } from '../../domain/engine/state-hash.js';
import { pagesOf, StateBuilder, type StatePage } from './state-pages.js';
import { stateRowsOf } from './rows-of-state.js';

const COMMANDS = 400;
const seed = seedFromEnvironment();
/** Shown in the titles; `SEED` brings one of them back as the first. */
const seeds = Array.from({ length: 10 }, (_, index) => seed + index);

function opened(): Engine {
  return new Engine(new EngineState(), LOW_BOUNDS);
}

function apply(engine: Engine, { timeMs, command }: JournalEntry): Outcome {
  engine.beginBatch(timeMs);
  const outcome = engine.apply(command);
  engine.checkBatch();
  return outcome;
}

function hashOf({ state }: Engine): string {
  return StateHash.of(state).total(state.sequence);
}

/** What waits to be done; which market comes first is decided when the command is made, not by the state. */
function workOf(engine: Engine): string[] {
  return engine
    .dueCommands(Infinity)
    .map((command) => JSON.stringify(command))
    .sort();
}

/** As the tables or a checkpoint keep it. */
function rebuilt({ state }: Engine): Engine {
  const builder = new StateBuilder(state.sequence, state.timeMs);
  for (const page of pagesOf(state)) builder.add(JSON.parse(JSON.stringify(page)) as StatePage);
  return new Engine(builder.finish(), LOW_BOUNDS);
}

describe('the engine', () => {
  it.each(seeds)('comes to the same state from the same commands (SEED=%d)', (seed) => {
    const [first, second] = [opened(), opened()];
    for (const entry of randomJournal(seed, COMMANDS)) {
      expect(apply(second, entry)).toEqual(apply(first, entry));
    }
    expect(hashOf(second)).toBe(hashOf(first));
  });
});

describe('a state rebuilt from its rows', () => {
  it.each(seeds)('has the same hash, the same rows and the same future (SEED=%d)', (seed) => {
    const journal = randomJournal(seed, COMMANDS);
    const cut = seed % journal.length;
    const lived = opened();
    for (const entry of journal.slice(0, cut)) apply(lived, entry);

    const loaded = rebuilt(lived);
    expect(hashOf(loaded)).toBe(hashOf(lived));
    expect(stateRowsOf(loaded.state)).toEqual(stateRowsOf(lived.state));
    expect(workOf(loaded)).toEqual(workOf(lived));

    for (const entry of journal.slice(cut)) expect(apply(loaded, entry)).toEqual(apply(lived, entry));
    expect(hashOf(loaded)).toBe(hashOf(lived));
  });

  it.each(seeds)('is the same however often it is rebuilt (SEED=%d)', (seed) => {
    const lived = opened();
    let loaded = opened();
    for (const [index, entry] of randomJournal(seed, COMMANDS).entries()) {
      if (index % 20 === 0) loaded = rebuilt(loaded);
      expect(apply(loaded, entry)).toEqual(apply(lived, entry));
    }
    expect(hashOf(loaded)).toBe(hashOf(lived));
  });
});
