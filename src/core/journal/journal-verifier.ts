/**
 * Proves the journal: replays it through the same engine, from the beginning or from a checkpoint, and
 * compares the hash chain, the effects and the state's hash at every row, and what the tables hold where they are.
 */
import type pg from 'pg';
import { Engine, ENGINE_VERSION } from '../../domain/engine/engine.js';
import { StateHash } from '../../domain/engine/state-hash.js';
import type { Changes } from '../../domain/engine/changes.js';
import { encodeEffects } from '../projection/effects.js';
import { countRows, rowsOf } from '../projection/tables.js';
import { type HashedTables, hashTables, pagesOf } from '../state/state-pages.js';
import { type Checkpoint, genesis, newestCheckpoint, saveCheckpoint } from './checkpoint.js';
import { ArchiveDamage } from './journal-archive.js';
import { chainFault } from './journal-chain.js';
import { actorsOf, commandsOf, DamagedEntry, type JournalEntry } from './journal-reader.js';
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
  const engine = new Engine(start.state);
  const hash = StateHash.of(engine.state);
  let previousHash = start.journalHash;
  let sequence = start.sequence;
  let entries = 0;
  let commands = 0;
  let isCompared = tables.sequence === sequence;
  let difference = isCompared ? compareTables(tables, hash) : null;
  for (;;) {
    const read = await source.read(sequence, ENTRIES_PER_READ);
    if (read.length === 0) break;
    for (const entry of read) {
      const replayed = replay(engine, hash, entry, sequence, previousHash);
      if (typeof replayed === 'string') {
        const file = source.fileOf(entry.lastSequence);
        const reason = file === null ? replayed : `${replayed} (in ${file})`;
        return { ok: false, sequence: entry.lastSequence, reason };
      }
      commands += replayed;
      entries++;
      sequence = entry.lastSequence;
      previousHash = entry.hash;
      if (sequence === tables.sequence) {
        isCompared = true;
        difference = compareTables(tables, hash);
      }
      if (difference !== null) return { ok: false, sequence, reason: difference };
    }
    options.onProgress?.({ sequence, lastSequence: end });
  }
  if (end !== sequence) difference ??= `the leader row says sequence ${end}, the journal ends at ${sequence}`;
  if (!isCompared)
    difference ??= `the tables are at sequence ${tables.sequence}, where no row of the journal ends`;
  if (difference !== null) return { ok: false, sequence, reason: difference };
  if (options.saveCheckpoint === true) {
    const place = { sequence, timeMs: engine.state.timeMs, journalHash: previousHash };
    await saveCheckpoint(client, place, pagesOf(engine.state));
  }
  return { ok: true, from: start.sequence, entries, commands, sequence, stateHash: hash.total(sequence) };
}

/** How many commands the entry has, or why it differs from the engine's replay. */
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
  const fault = chainFault({ sequence: previousSequence, hash: previousHash }, entry);
  if (fault !== null) return fault;
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
  if (entry.effects !== null && !hasEffects(entry.effects, changes, entry.timeMs))
    return 'its effects are not what its commands do';
  for (const order of changes.orders) order.stored = true;
  for (const market of changes.markets) market.statusChanged = false;
  return commands.length;
}

/**
 * Whether the bytes equal those of the replay's changes. Callers' keys and the numbers of account streams, which come
 * last, do not concern the engine; the row's hash covers them.
 */
function hasEffects(effects: Buffer, changes: Changes, timeMs: number): boolean {
  const replayed = rowsOf(changes, [], []);
  const expected = encodeEffects(replayed, countRows(replayed), timeMs);
  const body = expected.subarray(0, expected.length - 1);
  return effects.subarray(0, body.length).equals(body);
}

/** What differs, once the replay has come to where the tables are. */
function compareTables(tables: HashedTables, replayed: StateHash): string | null {
  const stored = tables.hash.parts();
  for (const [part, sum] of Object.entries(replayed.parts())) {
    if (stored[part as keyof typeof stored] !== sum)
      return `the stored ${part} are not what the journal leads to`;
  }
  return null;
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
