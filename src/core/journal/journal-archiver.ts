/**
 * Moves the beginning of the journal from its table into the archive: rows covered by a checkpoint are verified first,
 * then written to files, read back, and only then removed. Each step can be killed: files and table then overlap, and
 * the next run continues.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { tryLockSession, unlockSession } from '../../kit/database/advisory-locks.js';
import {
  type ArchiveFile,
  ArchiveDamage,
  type ArchiveSizes,
  listArchive,
  readArchiveFile,
  removeUnfinished,
  writeArchiveFile,
} from './journal-archive.js';
import { type ChainEnd, chainFault } from './journal-chain.js';
import { type JournalPartition, journalPartitions } from './journal-partitions.js';
import { type JournalEntry, readJournal } from './journal-reader.js';
import { verifyJournal, type Verification, type VerificationProgress } from './journal-verifier.js';

const ENTRIES_PER_READ = 200;
const ROWS_PER_DELETE = 5_000;
/** Commits wait while a partition waits to be dropped, so this gives way soon and comes again. */
const DROP_WAIT_MS = 200;
const DROP_RETRY_MS = 1_000;
const DROP_TRIES_MAX = 30;
const LOCK_NOT_AVAILABLE = '55P03';
/** "archive" in ASCII, as far as it fits: the key of the advisory lock that keeps a second run away. */
const LOCK_KEY = 0x6172_6368;

export interface Archived {
  readonly files: readonly ArchiveFile[];
  /** Rows that have left the table. */
  readonly rows: number;
  /** Up to where the archive goes; 0 where there is none. */
  readonly sequence: number;
}

export interface ArchiveOptions extends ArchiveSizes {
  readonly folder: string;
  readonly onProgress?: (progress: VerificationProgress) => void;
}

/**
 * Proves the journal from its newest checkpoint on, keeps a new one, and archives what comes before it.
 * @throws where nothing can be archived; the table then holds all that it held
 */
export async function archiveJournal(
  client: pg.Client,
  { folder, onProgress, ...sizes }: ArchiveOptions,
): Promise<Archived | Extract<Verification, { ok: false }>> {
  if (!(await tryLockSession(client, LOCK_KEY))) throw new Error('another run archives the journal already');
  try {
    const verification = await verifyJournal(client, {
      fromCheckpoint: true,
      saveCheckpoint: true,
      archive: folder,
      ...(onProgress && { onProgress }),
    });
    if (!verification.ok) return verification;
    const [foreign] = verification.foreignRows;
    if (foreign !== undefined)
      throw new ArchiveDamage(
        verification.sequence,
        `${foreign}; nothing was archived: give this database a folder of its own, or move the file out of this one`,
      );
    const files = await writeArchive(client, folder, verification.sequence, sizes);
    const removed = await removeArchived(client, folder, verification.sequence);
    const archived = (await listArchive(folder)).at(-1);
    return { files, rows: removed, sequence: archived?.lastSequence ?? 0 };
  } finally {
    await unlockSession(client, LOCK_KEY);
  }
}

/** Writes what the archive does not have yet of the rows before a proven sequence; returns the new files. */
export async function writeArchive(
  client: pg.ClientBase,
  folder: string,
  provenSequence: number,
  sizes: ArchiveSizes = {},
): Promise<ArchiveFile[]> {
  await removeUnfinished(folder);
  const until = await archivableUntil(client, provenSequence);
  const written: ArchiveFile[] = [];
  let after = (await listArchive(folder)).at(-1)?.lastSequence ?? 0;
  while (after < until) {
    const file = await writeArchiveFile(folder, entriesBetween(client, after, until), sizes);
    written.push(file);
    after = file.lastSequence;
  }
  return written;
}

async function* entriesBetween(
  client: pg.ClientBase,
  after: number,
  until: number,
): AsyncGenerator<JournalEntry> {
  for (let sequence = after; sequence < until;)
    for (const entry of await readJournal(client, sequence, ENTRIES_PER_READ, until)) {
      yield entry;
      sequence = entry.lastSequence;
    }
}

/**
 * Reads back every file whose rows are still in the table, and removes those rows; returns how many.
 * @throws ArchiveDamage if a file differs from the table; then nothing is removed
 */
export async function removeArchived(
  client: pg.ClientBase,
  folder: string,
  provenSequence: number,
): Promise<number> {
  const until = await archivableUntil(client, provenSequence);
  const [first] = await readJournal(client, 0, 1);
  let before: ChainEnd | null = null;
  let checkedUntil = 0;
  for (const file of await listArchive(folder)) {
    if (first === undefined || file.lastSequence < first.firstSequence || file.lastSequence > until) continue;
    before = await checkFile(client, file, before);
    checkedUntil = file.lastSequence;
  }
  let removed = 0;
  for (const partition of await journalPartitions(client))
    if (partition.end <= checkedUntil + 1) removed += await dropPartition(client, partition);
  return removed + (await deleteRows(client, checkedUntil));
}

/**
 * The last row that may leave the table: one before the proven sequence and before where the tables stand, whose
 * own rows a start needs, and one that all followers have read, but for consumers of plugins that have long been away. 0 where
 * there is none.
 */
async function archivableUntil(client: pg.ClientBase, provenSequence: number): Promise<number> {
  const { rows } = await client.query<{ until: string }>(
    `SELECT coalesce(max(last_sequence), 0) AS until FROM journal
     WHERE last_sequence < least($1, (SELECT sequence FROM core_projection))
       AND last_sequence <= coalesce((
         SELECT min(sequence) FROM journal_cursors
         WHERE reads_journal AND (NOT starts_with(name, 'plugin:')
           OR EXISTS (SELECT FROM plugin_consumers consumer WHERE 'plugin:' || consumer.name = journal_cursors.name))), $1)`,
    [provenSequence],
  );
  return Number(rows[0]!.until);
}

/** Where the file's chain ends, once it is known to be the table's. */
async function checkFile(
  client: pg.ClientBase,
  file: ArchiveFile,
  before: ChainEnd | null,
): Promise<ChainEnd> {
  let end = before;
  for await (const entry of readArchiveFile(file)) {
    end ??= { sequence: file.firstSequence - 1, hash: entry.previousHash };
    const fault = chainFault(end, entry);
    if (fault !== null) throw damaged(file, entry.lastSequence, fault);
    end = { sequence: entry.lastSequence, hash: entry.hash };
  }
  const { rows } = await client.query<{ hash: string }>('SELECT hash FROM journal WHERE last_sequence = $1', [
    file.lastSequence,
  ]);
  // Each hash covers the one before it, so where the last ones are the same, all are.
  if (end === null || rows[0]?.hash !== end.hash)
    throw damaged(file, file.lastSequence, 'its hash is not the one in the table');
  return end;
}

function damaged({ path }: ArchiveFile, sequence: number, reason: string): ArchiveDamage {
  return new ArchiveDamage(
    sequence,
    `${path} is not what the journal holds at sequence ${sequence}: ${reason}; move it away to have it written anew`,
  );
}

async function dropPartition(client: pg.ClientBase, { name }: JournalPartition): Promise<number> {
  await client.query('BEGIN');
  try {
    const { rowCount } = await client.query(
      `INSERT INTO journal_archived SELECT last_sequence, first_sequence, epoch, committed_at FROM ${name}`,
    );
    await client.query(`SET LOCAL lock_timeout = ${DROP_WAIT_MS}`);
    for (let tries = 1; !(await detach(client, name)); tries++) {
      if (tries === DROP_TRIES_MAX)
        throw new Error(
          `${name} is in use, by journal:verify or a backup perhaps; its rows are archived, run again to remove them`,
        );
      await delay(DROP_RETRY_MS);
    }
    await client.query(`DROP TABLE ${name}`);
    await client.query('COMMIT');
    return rowCount ?? 0;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** False where somebody reads or writes the journal for too long. */
async function detach(client: pg.ClientBase, name: string): Promise<boolean> {
  await client.query('SAVEPOINT attached');
  try {
    await client.query(`ALTER TABLE journal DETACH PARTITION ${name}`);
    return true;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) throw error;
    await client.query('ROLLBACK TO attached');
    return false;
  }
}

/** Removes rows from a partition that has others, too. */
async function deleteRows(client: pg.ClientBase, until: number): Promise<number> {
  let deleted = 0;
  for (;;) {
    const { rowCount } = await client.query(
      `WITH deleted AS (
         DELETE FROM journal WHERE last_sequence <= $1 AND last_sequence <= (
           SELECT max(last_sequence) FROM (
             SELECT last_sequence FROM journal ORDER BY last_sequence LIMIT $2) AS oldest)
         RETURNING last_sequence, first_sequence, epoch, committed_at)
       INSERT INTO journal_archived SELECT * FROM deleted`,
      [until, ROWS_PER_DELETE],
    );
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < ROWS_PER_DELETE) return deleted;
  }
}
