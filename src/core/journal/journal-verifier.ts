/**
 * Proves the journal: replays it through the same engine, from the beginning or from a checkpoint, and
 * compares the hash chain, the effects and the state's hash at every row, and what the tables hold where they are.
 */
import type pg from 'pg';
import { ENGINE_VERSION } from '../../domain/engine/engine.js';
import { type DerivedTables, problemsOfDerived } from '../projection/derived-tables.js';
import { type HashedTables, hashTables, pagesOf } from '../state/state-pages.js';
import { type Checkpoint, genesis, newestCheckpoint, saveCheckpoint } from './checkpoint.js';
import { ArchiveDamage } from './journal-archive.js';
import { DamagedEntry } from './journal-reader.js';
import { JournalReplay } from './journal-replay.js';
import { beginSnapshot, JournalSource } from './journal-source.js';

const ENTRIES_PER_READ = 200;

export interface VerificationProgress {
  readonly sequence: number;
  readonly lastSequence: number;
}

export type Verification =
  | {
      readonly ok: true;
      /** Where the replay began: 0, or the sequence of a checkpoint. */
      readonly from: number;
      readonly entries: number;
      readonly commands: number;
      readonly sequence: number;
      readonly stateHash: string;
      /** What the archive holds and this database does not, with the file. */
      readonly foreignRows: readonly string[];
    }
  /** `sequence` is the first row that differs. */
  | { readonly ok: false; readonly sequence: number; readonly reason: string };

export interface VerifyOptions {
  /** Start at the newest checkpoint instead of the first row. */
  readonly fromCheckpoint?: boolean;
  /** Keep the proven state as a checkpoint, from which a later run may start. */
  readonly saveCheckpoint?: boolean;
  /** The folder with what was archived of the journal, if any was. */
  readonly archive?: string;
  /** What follows the core's tables, to be compared with them. */
  readonly derived?: readonly DerivedTables[];
  readonly onProgress?: (progress: VerificationProgress) => void;
}

export async function verifyJournal(client: pg.Client, options: VerifyOptions = {}): Promise<Verification> {
  try {
    await beginSnapshot(client);
    const result = await verifySnapshot(client, options);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    if (error instanceof DamagedEntry || error instanceof ArchiveDamage)
      return { ok: false, sequence: error.sequence, reason: error.message };
    throw error;
  }
}

async function verifySnapshot(client: pg.Client, options: VerifyOptions): Promise<Verification> {
  const end = await leaderEnd(client);
  const tables = await hashTables(client);
  if (tables.torn !== null) return { ok: false, sequence: tables.sequence, reason: tables.torn };
  const source = await JournalSource.open(client, options.archive);
  try {
    return await replayFrom(await startingPoint(client, source, options), {
      client,
      source,
      tables,
      end,
      options,
    });
  } finally {
    await source.close();
  }
}

interface Snapshot {
  readonly client: pg.Client;
  readonly source: JournalSource;
  readonly tables: HashedTables;
  /** Where the leader's row says that the journal ends. */
  readonly end: number;
  readonly options: VerifyOptions;
}

async function replayFrom(
  start: Checkpoint,
  { client, source, tables, end, options }: Snapshot,
): Promise<Verification> {
  const replay = new JournalReplay(start);
  let isCompared = tables.sequence === replay.sequence;
  let difference = isCompared ? compareTables(tables, replay) : null;
  for (;;) {
    const read = await source.read(replay.sequence, ENTRIES_PER_READ);
    if (read.length === 0) break;
    for (const entry of read) {
      const fault = replay.take(entry);
      if (fault !== null) {
        const file = source.fileOf(entry.lastSequence);
        const reason = file === null ? fault : `${fault} (in ${file})`;
        return { ok: false, sequence: entry.lastSequence, reason };
      }
      if (replay.sequence === tables.sequence) {
        isCompared = true;
        difference = compareTables(tables, replay);
      }
      if (difference !== null) return { ok: false, sequence: replay.sequence, reason: difference };
    }
    options.onProgress?.({ sequence: replay.sequence, lastSequence: end });
  }
  const { sequence, entries, commands, stateHash } = replay;
  if (end !== sequence) difference ??= `the leader row says sequence ${end}, the journal ends at ${sequence}`;
  if (!isCompared)
    difference ??= `the tables are at sequence ${tables.sequence}, where no row of the journal ends`;
  difference ??= await derivedDifference(client, options.derived);
  if (difference !== null) return { ok: false, sequence, reason: difference };
  if (options.saveCheckpoint === true) {
    const { state, journalHash } = replay;
    await saveCheckpoint(client, { sequence, timeMs: state.timeMs, journalHash }, pagesOf(state));
  }
  const foreignRows = await source.foreignRows();
  return { ok: true, from: start.sequence, entries, commands, sequence, stateHash, foreignRows };
}

/** What differs, once the replay has come to where the tables are. */
function compareTables(tables: HashedTables, { stateParts }: JournalReplay): string | null {
  const stored = tables.hash.parts();
  for (const [part, sum] of Object.entries(stateParts)) {
    if (stored[part as keyof typeof stored] !== sum)
      return `the stored ${part} are not what the journal leads to`;
  }
  return null;
}

async function derivedDifference(
  client: pg.Client,
  derived: readonly DerivedTables[] = [],
): Promise<string | null> {
  const [problem] = await problemsOfDerived(client, derived, 'all');
  return problem === undefined ? null : `${problem} npm run journal:rebuild compares row by row.`;
}

async function leaderEnd(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ last_sequence: string }>('SELECT last_sequence FROM core_leader');
  return Number(rows[0]!.last_sequence);
}

async function startingPoint(
  client: pg.Client,
  source: JournalSource,
  options: VerifyOptions,
): Promise<Checkpoint> {
  const isFromCheckpoint = options.fromCheckpoint === true;
  if (!isFromCheckpoint && (await isWhole(source))) return genesis();
  const checkpoint = await newestCheckpoint(client);
  if (checkpoint !== null) return checkpoint;
  if (isFromCheckpoint && (await isWhole(source))) return genesis();
  throw new Error(
    'this engine cannot replay the journal from its first row, and there is no checkpoint to start from',
  );
}

/** Whether this engine can replay all of it. */
async function isWhole(source: JournalSource): Promise<boolean> {
  const first = await source.first();
  return first === null || (first.firstSequence === 1 && first.engineVersion === ENGINE_VERSION);
}
