/** The journal as one chain: from its archive as far as that goes, and then from its table. */
import type pg from 'pg';
import { type ArchiveFile, listArchive, readArchiveFile } from './journal-archive.js';
import { type JournalEntry, readJournal } from './journal-reader.js';

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
    return new JournalSource(client, files);
  }

  /** Null where nothing was ever committed. */
  async first(): Promise<JournalEntry | null> {
    return (await this.read(0, 1))[0] ?? null;
  }

  /** The next entries after a sequence, the oldest first, each once; none at the end. */
  async read(after: number, limit: number): Promise<JournalEntry[]> {
    if (after >= (this.files.at(-1)?.lastSequence ?? 0)) return readJournal(this.client, after, limit);
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
    return read;
  }

  /** The file of the archive that an entry is read from; null where that is the table. */
  fileOf(sequence: number): string | null {
    return this.files.find(({ lastSequence }) => lastSequence >= sequence)?.path ?? null;
  }

  /** Lets go of the file that is being read. */
  async close(): Promise<void> {
    await this.reading?.entries.return(undefined);
    this.reading = null;
  }

  private async *archivedAfter(after: number): AsyncGenerator<JournalEntry> {
    for (const file of this.files) {
      if (file.lastSequence <= after) continue;
      for await (const entry of readArchiveFile(file)) if (entry.lastSequence > after) yield entry;
    }
  }
}
