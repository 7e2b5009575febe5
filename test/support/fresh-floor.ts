import { afterEach, beforeEach } from 'vitest';
import type { SequencerOptions } from '../../src/core/sequencer/sequencer-options.js';
import { type Floor, openFloor, TestCore } from './core.js';
import { createTestDatabase, type TestDatabase } from './database.js';

export interface FreshFloor {
  readonly database: TestDatabase;
  readonly core: TestCore;
  readonly floor: Floor;
}

/** Gives each test a database of its own, with a core on it. `stop` ends the core that runs at the end: a test may start another. */
export function onFreshFloor(
  begin: (fresh: FreshFloor) => void,
  stop: () => Promise<void>,
  options?: SequencerOptions,
): void {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
    const core = await TestCore.start(database.url, options);
    begin({ database, core, floor: await openFloor(core) });
  });
  afterEach(async () => {
    await stop();
    await database.drop();
  });
}
