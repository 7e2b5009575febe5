/** The journal as one chain: from its archive up to where its table begins, and then from that. */
import type pg from 'pg';
import { ArchiveDamage, type ArchiveFile, listArchive, readArchiveFile } from './journal-archive.js';
import { type JournalEntry, readJournal } from './journal-reader.js';

/** So many rows of a file are compared with the table at once. */
const COMPARED_AT_ONCE = 1_000;

/** Begins a transaction in which the journal stays as it is, partitions that are dropped meanwhile included. */
export async function beginSnapshot(client: pg.ClientBase): Promise<void> {
  await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ');
  await client.query('LOCK TABLE journal IN ACCESS SHARE MODE');
}

export class JournalSource {
  /** The archive's reader and its last result: a caller may take only the first entries. */
  private reading: { readonly entries: AsyncGenerator<JournalEntry>; last: JournalEntry[] } | null = null;

  private constructor(
    private readonly client: pg.ClientBase,
    private readonly files: readonly ArchiveFile[],
    /** The first sequence in the table. What both hold is read there: the files may be those of a newer database. */
    private readonly tableBegin: number,
  ) {}

  /**
   * Call after `beginSnapshot`: rows that leave the table later are still in the snapshot, and rows that left before
   * are in the folder.
   *
   * @throws if the archive ends before the table begins, or lacks a file
   */
  static async open(client: pg.ClientBase, archive: string | undefined): Promise<JournalSource> {
    // In this order: only a query makes the snapshot.
    const [first] = await readJournal(client, 0, 1);
    const files = archive === undefined ? [] : await listArchive(archive);
    const end = files.at(-1)?.lastSequence;
    if (end !== undefined && first !== undefined && end < first.firstSequence - 1)
      throw new Error(
        `the archive in ${archive} ends at sequence ${end}, the journal's table begins at ${first.firstSequence}; name the folder with what is between, or an empty one`,
      );
    return new JournalSource(client, files, first?.firstSequence ?? 0);
  }

  /** Null where nothing was ever committed. */
  async first(): Promise<JournalEntry | null> {
    return (await this.read(0, 1))[0] ?? null;
  }

  /** The next entries after a sequence, the oldest first, each once; none at the end. */
  async read(after: number, limit: number): Promise<JournalEntry[]> {
    if (this.files.length === 0 || after >= this.tableBegin - 1)
      return readJournal(this.client, after, limit);
    const place = this.reading?.last.findIndex(({ lastSequence }) => lastSequence === after) ?? -1;
    if (place === -1) {
      await this.close();
      this.reading = { entries: this.archivedAfter(after), last: [] };
    }
    const reading = this.reading!;
    const read = reading.last.slice(place + 1);
    while (read.length < limit) {
      const next = await reading.entries.next();
      if (next.done === true) break;
      read.push(next.value);
    }
    reading.last = read;
    return read.length > 0 ? read : readJournal(this.client, after, limit);
  }

  /** The file of the archive that an entry is read from; null where that is the table. */
  fileOf(sequence: number): string | null {
    if (sequence >= this.tableBegin) return null;
    return this.files.find(({ lastSequence }) => lastSequence >= sequence)?.path ?? null;
  }

  /**
   * What the files hold of rows that are in the table, or after its end, and that this database does not: each names its
   * file. It was not read for anything else.
   */
  async foreignRows(): Promise<string[]> {
    const overlapping = this.files.filter(({ lastSequence }) => lastSequence >= this.tableBegin);
    for (const [index, file] of overlapping.entries()) {
      const found = await this.foreignIn(file);
      if (found === null) continue;
      const more = overlapping.length - index - 1;
      return [more === 0 ? found : `${found}; ${more} more files follow it`];
    }
    return [];
  }

  private async foreignIn(file: ArchiveFile): Promise<string | null> {
    let rows: JournalEntry[] = [];
    try {
      for await (const entry of readArchiveFile(file)) {
        if (entry.lastSequence >= this.tableBegin) rows.push(entry);
        if (rows.length < COMPARED_AT_ONCE) continue;
        const difference = await this.differenceOf(file, rows);
        if (difference !== null) return difference;
        rows = [];
      }
    } catch (error) {
      if (error instanceof ArchiveDamage) return error.message;
      throw error;
    }
    return this.differenceOf(file, rows);
  }

  /** Each hash covers all of its row and the hash before it. */
  private async differenceOf(
    { path }: ArchiveFile,
    entries: readonly JournalEntry[],
  ): Promise<string | null> {
    const { rows } = await this.client.query<{ sequence: string; isAfter: boolean }>(
      `SELECT sequence, sequence > coalesce((SELECT max(last_sequence) FROM journal), 0) AS "isAfter"
       FROM unnest($1::bigint[], $2::text[]) AS archived (sequence, hash)
       WHERE NOT EXISTS (SELECT FROM journal WHERE last_sequence = sequence AND journal.hash = archived.hash)
       ORDER BY sequence LIMIT 1`,
      [entries.map(({ lastSequence }) => lastSequence), entries.map(({ hash }) => hash)],
    );
    const [first] = rows;
    if (first === undefined) return null;
    return first.isAfter
      ? `${path} goes on after the end of this database, with sequence ${first.sequence}`
      : `${path} has another row than this database at sequence ${first.sequence}`;
  }

  /** Lets go of the file that is being read. */
  async close(): Promise<void> {
    await this.reading?.entries.return(undefined);
    this.reading = null;
  }

  private async *archivedAfter(after: number): AsyncGenerator<JournalEntry> {
    for (const file of this.files) {
      if (file.lastSequence <= after) continue;
      if (file.firstSequence >= this.tableBegin) return;
      for await (const entry of readArchiveFile(file)) {
        if (entry.lastSequence >= this.tableBegin) return;
        if (entry.lastSequence > after) yield entry;
      }
    }
  }
}
