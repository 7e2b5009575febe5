/**
 * Proves the journal: replays it through the same engine, from the beginning or from a checkpoint, and
 * compares the hash chain and the state's hash at every row, and what the tables hold at the end.
 */
import type pg from 'pg';
import { Engine, ENGINE_VERSION } from '../../domain/engine/engine.js';
import { StateHash } from '../../domain/engine/state-hash.js';
import { sequenceAndTime } from '../state/state-loader.js';
import { hashTables, pagesOf } from '../state/state-pages.js';
import { type Checkpoint, genesis, newestCheckpoint, saveCheckpoint } from './checkpoint.js';
import { journalHash } from './journal.js';
import { actorsOf, commandsOf, type JournalEntry, readJournal } from './journal-reader.js';

const ENTRIES_PER_READ = 200;

export interface VerificationProgress {
  readonly sequence: number;
  readonly lastSequence: number;
}

export type Verification =
  | {
      readonly ok: true;
      readonly entries: number;
      readonly commands: number;
      readonly sequence: number;
      readonly stateHash: string;
    }
  /** `sequence` is the first row that differs. */
  | { readonly ok: false; readonly sequence: number; readonly reason: string };

export interface VerifyOptions {
  /** Start at the newest checkpoint instead of the first row. */
  readonly fromCheckpoint?: boolean;
  /** Keep the proven state as a checkpoint, from which a later run may start. */
  readonly saveCheckpoint?: boolean;
  readonly onProgress?: (progress: VerificationProgress) => void;
}

export async function verifyJournal(client: pg.Client, options: VerifyOptions = {}): Promise<Verification> {
  await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ');
  try {
    const result = await verifySnapshot(client, options);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function verifySnapshot(client: pg.Client, options: VerifyOptions): Promise<Verification> {
  const { sequence: lastSequence } = await sequenceAndTime(client);
  const start = await startingPoint(client, options);
  const engine = new Engine(start.state);
  const hash = StateHash.of(engine.state);
  let previousHash = start.journalHash;
  let sequence = start.sequence;
  let entries = 0;
  let commands = 0;
  for (;;) {
    const read = await readJournal(client, sequence, ENTRIES_PER_READ);
    if (read.length === 0) break;
    for (const entry of read) {
      const replayed = replay(engine, hash, entry, sequence, previousHash);
      if (typeof replayed === 'string') return { ok: false, sequence: entry.lastSequence, reason: replayed };
      commands += replayed;
      entries++;
      sequence = entry.lastSequence;
      previousHash = entry.hash;
    }
    options.onProgress?.({ sequence, lastSequence });
  }
  const difference = await compareTables(client, sequence, hash);
  if (difference !== null) return { ok: false, sequence, reason: difference };
  if (options.saveCheckpoint === true) {
    const place = { sequence, timeMs: engine.state.timeMs, journalHash: previousHash };
    await saveCheckpoint(client, place, pagesOf(engine.state));
  }
  return { ok: true, entries, commands, sequence, stateHash: hash.total(sequence) };
}

/** How many commands the entry holds, or why it is not what the engine makes of them. */
function replay(
  engine: Engine,
  hash: StateHash,
  entry: JournalEntry,
  previousSequence: number,
  previousHash: string,
): number | string {
  if (entry.engineVersion !== ENGINE_VERSION) {
    return `written by engine ${entry.engineVersion}, this is engine ${ENGINE_VERSION}; start from a checkpoint`;
  }
  if (entry.previousHash !== previousHash) return 'its previous_hash is not the hash of the row before it';
  if (journalHash(previousHash, entry) !== entry.hash) return 'its content does not give its hash';
  if (entry.firstSequence !== previousSequence + 1)
    return `it begins at ${entry.firstSequence}, not where the row before ends`;
  try {
    return replayCommands(engine, hash, entry);
  } catch (error) {
    return `its commands cannot be replayed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function replayCommands(engine: Engine, hash: StateHash, entry: JournalEntry): number | string {
  const commands = commandsOf(entry);
  if (actorsOf(entry).length !== commands.length) return 'its actors are not as many as its commands';
  const changes = engine.beginBatch(entry.timeMs);
  for (const command of commands) {
    const outcome = engine.apply(command);
    if (!outcome.ok) return `its ${command.type} is refused on replay: ${outcome.refusal.code}`;
  }
  engine.checkBatch();
  hash.update(changes);
  if (engine.state.sequence !== entry.lastSequence) {
    return `its commands lead to sequence ${engine.state.sequence}, not ${entry.lastSequence}`;
  }
  if (hash.total(entry.lastSequence) !== entry.stateHash) return 'its commands lead to another state hash';
  return commands.length;
}

/** The tables of the same snapshot must hold exactly the replayed state. */
async function compareTables(
  client: pg.Client,
  sequence: number,
  replayed: StateHash,
): Promise<string | null> {
  const stored = await hashTables(client);
  if (stored.sequence !== sequence)
    return `the leader row says sequence ${stored.sequence}, the journal ends at ${sequence}`;
  if (stored.torn !== null) return stored.torn;
  const tables = stored.hash.parts();
  for (const [part, sum] of Object.entries(replayed.parts())) {
    if (tables[part as keyof typeof tables] !== sum)
      return `the stored ${part} are not what the journal leads to`;
  }
  return null;
}

async function startingPoint(client: pg.Client, options: VerifyOptions): Promise<Checkpoint> {
  const { rows } = await client.query<{ first: string | null; engine_version: number }>(
    'SELECT first_sequence AS first, engine_version FROM journal ORDER BY last_sequence LIMIT 1',
  );
  const [first] = rows;
  const isWhole =
    first === undefined || (Number(first.first) === 1 && first.engine_version === ENGINE_VERSION);
  if (isWhole && options.fromCheckpoint !== true) return genesis();
  const checkpoint = await newestCheckpoint(client);
  if (checkpoint !== null) return checkpoint;
  if (isWhole) return genesis();
  throw new Error(
    'this engine cannot replay the journal from its first row, and there is no checkpoint to start from',
  );
}
