/** Projects the journal's tail into the tables, from the journal alone: the first step of a take-over. */
import type pg from 'pg';
import { type EntryEffects, readEffects } from './journal-reader.js';
import { checkConsecutive } from './journal-chain.js';
import { EffectWindow } from '../projection/effects.js';
import { projectionStatement } from '../projection/projection-statement.js';
import { carriedAfterIn, cursorOf } from '../projection/projector.js';

const ENTRIES_PER_WINDOW = 200;
const ROWS_PER_WINDOW = 20_000;

/** The next entries after a sequence, oldest first, at most `limit`. */
export type ReadEntries = (after: number, limit: number) => Promise<readonly EntryEffects[]>;

/** Up to where the tables are to be brought: where the journal ends, from the leader's row, or to an earlier commit. */
export interface JournalEnd {
  readonly lastSequence: number;
  readonly stateParts: string | null;
}

/**
 * Works window by window, so that an interrupted take-over continues where it was. Returns how many entries were
 * behind. They come from the journal's table unless `read` is given.
 * @throws if an entry has no effects, or the tables do not fit it
 */
export async function projectTail(
  client: pg.ClientBase,
  end: JournalEnd,
  read: ReadEntries = (after, limit) => readEffects(client, after, limit),
): Promise<number> {
  let cursor = await cursorOf(client);
  const carriedAfter = await carriedAfterIn(client);
  let behind = 0;
  while (cursor < end.lastSequence) {
    const window = new EffectWindow(carriedAfter);
    let to = cursor;
    const entries = await read(cursor, ENTRIES_PER_WINDOW);
    checkConsecutive(cursor, entries);
    for (const { effects, timeMs, lastSequence } of entries) {
      if (lastSequence > end.lastSequence) break;
      if (effects === null) throw new Error(`the journal's entry ${lastSequence} has no effects to write`);
      window.add(effects, timeMs);
      to = lastSequence;
      behind++;
      if (window.rowCount >= ROWS_PER_WINDOW) break;
    }
    if (to === cursor) throw new Error(`the journal ends at ${cursor}, the leader at ${end.lastSequence}`);
    const stateParts = to === end.lastSequence ? end.stateParts : null;
    const { name, text, values } = projectionStatement({ from: cursor, to, stateParts }, window);
    const { rows } = await client.query<{ moved: number }>({ name, text, values });
    if (rows[0]!.moved === 1) cursor = to;
    // The writer before may still have had a window on its way.
    else cursor = await cursorOf(client);
  }
  return behind;
}
