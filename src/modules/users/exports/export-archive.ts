import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { csvText } from '../../../kit/http/csv/csv-text.js';
import type { ExportingOwner, PersonalSection } from '../../../kit/personal-data/personal-data.js';
import { ROWS_AT_ONCE, SpooledRows } from './spooled-rows.js';

interface FileInManifest {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

interface SectionInManifest {
  readonly name: string;
  readonly rows: number;
  readonly files: readonly FileInManifest[];
}

/** What an archive is of, for its manifest. */
export interface ArchiveHead {
  readonly exportId: string;
  readonly username: string;
  readonly startedAt: string;
  /** Everything that happened to accounts up to this place of the ledger is in it. */
  readonly ledgerSequence: number;
}

/** Who hears of the progress of an archive. */
export interface ArchiveProgress {
  /** Rows that were read since the last call. */
  onRows(count: number): Promise<void>;
  onSection(): Promise<void>;
}

/** Writes a zip while it is read: the caller must read `content`, and memory holds a page of rows at a time. */
export class ExportArchive {
  private readonly zip = new ZipFile();
  private readonly sections: SectionInManifest[] = [];

  constructor(
    private readonly progress: ArchiveProgress,
    private readonly signal: AbortSignal,
  ) {
    // A file that cannot be read rejects in `add`; without a listener the event would end the process.
    this.zip.on('error', () => undefined);
  }

  get content(): Readable {
    return this.zip.outputStream as Readable;
  }

  /** Resolves once all of it was read. Rejects when the signal aborts. */
  async write(sections: readonly PersonalSection[], owner: ExportingOwner, head: ArchiveHead): Promise<void> {
    for (const section of sections) {
      this.sections.push(await this.writeSection(section, owner));
      await this.progress.onSection();
    }
    const manifest = JSON.stringify(
      {
        export_id: head.exportId,
        username: head.username,
        started_at: head.startedAt,
        ledger_sequence: head.ledgerSequence,
        sections: this.sections,
      },
      null,
      2,
    );
    await this.add('manifest.json', [`${manifest}\n`]);
    await this.add('README.txt', [readmeOf(sections, head)]);
    this.zip.end();
  }

  private async writeSection(section: PersonalSection, owner: ExportingOwner): Promise<SectionInManifest> {
    const { name } = section;
    const spool = await SpooledRows.of(this.counted(section.rows(owner)), this.signal);
    try {
      const files = [
        await this.add(`${name}.json`, jsonOf(spool)),
        await this.add(`${name}.csv`, csvOf(spool)),
      ];
      for await (const file of section.files?.(owner) ?? []) {
        files.push(await this.add(`${name}/${file.name}`, [file.content]));
      }
      return { name, rows: spool.count, files };
    } finally {
      await spool.discard();
    }
  }

  private async *counted(rows: AsyncIterable<object>): AsyncGenerator<object> {
    let unreported = 0;
    for await (const row of rows) {
      this.signal.throwIfAborted();
      yield row;
      if (++unreported < ROWS_AT_ONCE) continue;
      await this.progress.onRows(unreported);
      unreported = 0;
    }
    if (unreported > 0) await this.progress.onRows(unreported);
  }

  /** Resolves once the file was read by whoever reads the zip. */
  private async add(
    name: string,
    parts: AsyncIterable<string> | Iterable<string | Buffer>,
  ): Promise<FileInManifest> {
    const hash = createHash('sha256');
    let bytes = 0;
    async function* measured(): AsyncGenerator<Buffer> {
      for await (const part of parts) {
        const chunk = Buffer.from(part);
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    }
    const content = Readable.from(measured(), { objectMode: false });
    this.zip.addReadStream(content, name);
    try {
      await finished(content, { signal: this.signal, writable: false });
    } catch (error) {
      content.destroy();
      throw error;
    }
    return { name, bytes, sha256: hash.digest('hex') };
  }
}

async function* jsonOf(spool: SpooledRows): AsyncGenerator<string> {
  let before = '[\n';
  for await (const batch of spool.batches()) {
    yield before + batch.join(',\n');
    before = ',\n';
  }
  yield spool.count > 0 ? '\n]\n' : '[]\n';
}

async function* csvOf(spool: SpooledRows): AsyncGenerator<string> {
  const format = { columns: [...spool.columns], rows: 'data' };
  let isFirst = true;
  for await (const batch of spool.batches()) {
    const rows = batch.map((line) => JSON.parse(line) as object);
    yield csvText(rows, format, isFirst);
    isFirst = false;
  }
}

function readmeOf(sections: readonly PersonalSection[], { username, startedAt }: ArchiveHead): string {
  const names = sections.map(({ name, holds }) => `${name.padEnd(24)}${holds}`);
  return [
    `Everything that the service knows about ${username}, as of ${startedAt}.`,
    '',
    'Each part is there twice, with the same rows: as JSON, and as CSV for spreadsheets. In CSV, lists and objects',
    'are JSON, and a text that a spreadsheet would take for a formula begins with an apostrophe. Amounts are decimal',
    'numbers, times are UTC. A part without rows is an empty list, and an empty CSV file.',
    'manifest.json has the number of rows, and the SHA-256 digest of each file.',
    '',
    'Never in here: passwords, keys and secrets, which the service does not have or cannot show, and what others wrote',
    'to you, which is theirs.',
    '',
    ...names,
    '',
  ].join('\r\n');
}
