/**
 * Makes every projected table anew from the journal, beside the stored ones and by the projector's own statements, and
 * from these what follows them; and says where the stored ones differ. Nothing of it grows with the journal but the time, and the room of keys
 * that have expired.
 */
import type pg from 'pg';
import { ArchiveDamage } from './journal-archive.js';
import { CHAIN_BEGIN, type ChainEnd, chainFault } from './journal-chain.js';
import { DamagedEntry, type JournalEntry } from './journal-reader.js';
import { beginSnapshot, JournalSource } from './journal-source.js';
import { tryLockLead } from '../leadership/leadership.js';
import { formatParts, WHOLE_TABLES } from '../state/state-loader.js';
import { hashTables } from '../state/state-pages.js';
import { projectTail } from './journal-tail.js';
import { copyDerived, type DerivedTables } from '../projection/derived-tables.js';
import { TableCopy, type TableDifference } from '../projection/table-copy.js';
import { PROJECTED_COLUMNS } from '../projection/tables.js';

/** While the tables grow from nothing: plans that look rows up by their keys, and memory for their newest pages. */
const GROWING_TABLES = `SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL jit = off;
  SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off;
  SET LOCAL temp_buffers = '64MB'`;

const CURSOR = 'core_projection';
const KEYS = 'command_keys';

/** The available journal does not suffice to rebuild the tables. */
export class NotRebuildable extends Error {}

export interface RebuildProgress {
  readonly sequence: number;
  readonly lastSequence: number;
}

export interface RebuildOptions {
  /** The folder with what was archived of the journal, if any was. */
  readonly archive?: string;
  /** Replace rows that differ by the rebuilt ones; only while no process leads. */
  readonly repair?: boolean;
  /** What follows the core's tables, to be made anew from them. */
  readonly derived?: readonly DerivedTables[];
  readonly onProgress?: (progress: RebuildProgress) => void;
}

export interface Rebuild {
  /** Where the tables stand. */
  readonly sequence: number;
  /** Of the rebuilt tables. */
  readonly stateHash: string;
  /** Why that is not the journal's hash there; null where it is. */
  readonly hashFault: string | null;
  /** The tables that differ, as they were found. */
  readonly differences: readonly TableDifference[];
  /** Whether they are as the journal says now. */
  readonly isRepaired: boolean;
  /** What the archive holds and this database does not, with the file. */
  readonly foreignRows: readonly string[];
}

/** @throws NotRebuildable where nothing could be compared */
export async function rebuildTables(client: pg.Client, options: RebuildOptions = {}): Promise<Rebuild> {
  if (options.repair === true && !(await tryLockLead(client)))
    throw new NotRebuildable('a service leads on this database: stop it first');
  try {
    await beginSnapshot(client);
    const rebuild = await rebuildSnapshot(client, options);
    await client.query('COMMIT');
    return rebuild;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    if (error instanceof ArchiveDamage || error instanceof DamagedEntry)
      throw new NotRebuildable(error.message, { cause: error });
    throw error;
  }
}

async function rebuildSnapshot(client: pg.Client, options: RebuildOptions): Promise<Rebuild> {
  const source = await JournalSource.open(client, options.archive);
  try {
    const stored = await storedCursor(client, options.repair === true);
    await client.query(GROWING_TABLES);
    const unexpired = await unexpiredKeys(client);
    const copies: TableCopy[] = [];
    for (const table of [...Object.keys(PROJECTED_COLUMNS), CURSOR])
      copies.push(await TableCopy.make(client, table, table === KEYS ? unexpired : undefined));
    await client.query(`INSERT INTO ${CURSOR} (sequence, carried_after) VALUES (0, $1)`, [
      stored.carriedAfter,
    ]);
    const stateHash = await fillCopies(client, source, stored, options);
    const compared = await compareCopies(client, copies, { ...stored, ...options, stateHash });
    return { ...compared, foreignRows: await source.foreignRows() };
  } finally {
    await source.close();
  }
}

interface StoredCursor {
  /** The commit up to which the tables are made anew: where they stand, or the last one where that is nowhere. */
  readonly sequence: number;
  /** Whether the sums of the state's hash are known there. */
  readonly hasParts: boolean;
  /** Which trades carry their transfers; null where none does. */
  readonly carriedAfter: string | null;
}

async function storedCursor(client: pg.Client, isToBeKept: boolean): Promise<StoredCursor> {
  const { rows } = await client.query<
    { isCommit: boolean; sequence: string } & Omit<StoredCursor, 'sequence'>
  >(
    `SELECT sequence, state_parts IS NOT NULL AS "hasParts", carried_after AS "carriedAfter",
       sequence = 0 OR EXISTS (SELECT 1 FROM journal_commits WHERE last_sequence = sequence) AS "isCommit"
     FROM core_projection ${isToBeKept ? 'FOR UPDATE' : ''}`,
  );
  const [cursor] = rows;
  if (cursor?.isCommit === true) return { ...cursor, sequence: Number(cursor.sequence) };
  const leader = await client.query<{ last_sequence: string; first: string | null }>(
    `SELECT last_sequence, (SELECT min(trade_id) FROM trades WHERE maker_balance_after IS NOT NULL) - 1 AS first FROM core_leader`,
  );
  const { last_sequence, first } = leader.rows[0]!;
  return { sequence: Number(last_sequence), hasParts: true, carriedAfter: cursor?.carriedAfter ?? first };
}

/** Brings the copies from nothing to where the tables stand; returns the journal's hash of the state there. */
async function fillCopies(
  client: pg.Client,
  source: JournalSource,
  { sequence }: Pick<StoredCursor, 'sequence'>,
  { onProgress }: RebuildOptions,
): Promise<string | null> {
  const first = await source.first();
  if (first !== null && first.firstSequence !== 1)
    throw new NotRebuildable(
      `what the journal holds begins at sequence ${first.firstSequence}; name the folder with its archive`,
    );
  let stateHash: string | null = null;
  let end: ChainEnd = CHAIN_BEGIN;
  await projectTail(client, { lastSequence: sequence, stateParts: null }, async (after, limit) => {
    onProgress?.({ sequence: after, lastSequence: sequence });
    // A window may have ended within what was read before it: it begins again there.
    const entries = await source.read(after, limit);
    for (const entry of entries) {
      if (entry.lastSequence <= end.sequence) continue;
      checkEntry(source, end, entry);
      end = { sequence: entry.lastSequence, hash: entry.hash };
      if (entry.lastSequence === sequence) ({ stateHash } = entry);
    }
    return entries;
  });
  onProgress?.({ sequence, lastSequence: sequence });
  return stateHash;
}

function checkEntry(source: JournalSource, before: ChainEnd, entry: JournalEntry): void {
  const { lastSequence, effects } = entry;
  const file = source.fileOf(lastSequence);
  const place = file === null ? '' : ` (in ${file})`;
  const fault = chainFault(before, entry);
  if (fault !== null)
    throw new NotRebuildable(
      `the journal itself is damaged at sequence ${lastSequence}: ${fault}${place}; run npm run journal:verify`,
    );
  if (effects === null)
    throw new NotRebuildable(
      `the journal's row of sequence ${lastSequence} was written before rows kept their effects${place}, and without those no table can be made anew`,
    );
}

/** Expired keys are purged by and by; what has expired by this moment counts on neither side. */
async function unexpiredKeys(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
  return `expires_at IS NULL OR expires_at > ${client.escapeLiteral(rows[0]!.now)}::timestamptz`;
}

interface Filled
  extends Pick<StoredCursor, 'sequence' | 'hasParts'>, Pick<RebuildOptions, 'derived' | 'repair'> {
  readonly stateHash: string | null;
}

async function compareCopies(
  client: pg.Client,
  projected: readonly TableCopy[],
  { sequence, hasParts, stateHash: expected, derived = [], repair = false }: Filled,
): Promise<Omit<Rebuild, 'foreignRows'>> {
  await client.query(WHOLE_TABLES);
  const { hash, torn } = await hashTables(client);
  if (hasParts) await client.query(`UPDATE ${CURSOR} SET state_parts = $1`, [formatParts(hash)]);
  for (const { table } of projected) await client.query(`ANALYZE ${table}`);
  const stateHash = hash.total(sequence);
  const hashFault = torn ?? faultOf(stateHash, expected);
  const copies = [...projected, ...(await copyDerived(client, derived))];
  const differences = await differencesOf(copies);
  if (!repair || hashFault !== null)
    return { sequence, stateHash, hashFault, differences, isRepaired: false };
  for (const copy of copies) if (differences.some(({ table }) => table === copy.table)) await copy.repair();
  const [left] = await differencesOf(copies);
  if (left !== undefined) throw new Error(`${left.table} could not be repaired: ${left.examples[0]}`);
  return { sequence, stateHash, hashFault, differences, isRepaired: true };
}

function faultOf(stateHash: string, expected: string | null): string | null {
  if (expected === null || stateHash === expected) return null;
  return `the journal says that the state there has the hash ${expected}: assets, accounts, markets or holds, which commits write themselves, are not what was committed`;
}

/** Compares every table with its copy; tells those that differ. */
async function differencesOf(copies: readonly TableCopy[]): Promise<TableDifference[]> {
  const differences: TableDifference[] = [];
  for (const copy of copies) {
    const found = await copy.compare();
    if (found.missing + found.surplus + found.changed > 0) differences.push(found);
  }
  return differences;
}
