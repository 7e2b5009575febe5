/**
 * Tables that modules make of the core's own, a moment after the projector and by cursors of their own in
 * `journal_cursors`: how they are compared with what they follow, and made anew.
 */
import type pg from 'pg';
import { TableCopy } from './table-copy.js';

/** How far each of the followers has come, by the names of their cursors. */
export type Cursors = ReadonlyMap<string, number>;

/** Tables that one follower writes. */
export interface DerivedTables {
  readonly tables: readonly string[];
  /** The rows that are kept for good, as an SQL condition; all, unless it is given. */
  readonly kept?: string;
  /** Fills the empty tables from those of the core, up to where the stored ones stand. */
  readonly remake: (client: pg.ClientBase, cursors: Cursors) => Promise<void>;
  /** A query of what their last rows lack, a sentence a row, by a look-up for each position at most. */
  readonly latestProblems?: string;
  /** A query of what they lack anywhere, a sentence a row; it reads all history. */
  readonly problems: string;
}

/** Makes copies of them from what the names of the core's tables mean, and so from copies of these where there are any. */
export async function copyDerived(
  client: pg.ClientBase,
  derived: readonly DerivedTables[],
): Promise<TableCopy[]> {
  const { rows } = await client.query<{ name: string; sequence: string }>(
    'SELECT name, sequence FROM journal_cursors',
  );
  const cursors = new Map(rows.map(({ name, sequence }) => [name, Number(sequence)]));
  // The followers begin anew, in a copy that nothing is compared with.
  await TableCopy.make(client, 'journal_cursors');
  const copies: TableCopy[] = [];
  for (const { tables, kept, remake } of derived) {
    for (const table of tables) copies.push(await TableCopy.make(client, table, kept));
    await remake(client, cursors);
  }
  return copies;
}

const PROBLEMS_MAX = 10;

/** What the tables lack, in words; `scope` tells how much is read for it. */
export async function problemsOfDerived(
  client: pg.ClientBase,
  derived: readonly DerivedTables[],
  scope: 'latest' | 'all',
): Promise<string[]> {
  const problems: string[] = [];
  for (const { latestProblems, problems: all } of derived) {
    for (const query of scope === 'all' ? [latestProblems, all] : [latestProblems]) {
      if (query === undefined) continue;
      const { rows } = await client.query<{ problem: string }>(
        `SELECT problem FROM (${query}) AS problems LIMIT ${PROBLEMS_MAX}`,
      );
      problems.push(...rows.map(({ problem }) => problem));
    }
  }
  return problems;
}
