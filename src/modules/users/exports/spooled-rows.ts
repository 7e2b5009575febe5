import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { KEY_BYTES } from '../../../kit/vault/encryption.js';
import { decrypting, encrypting } from '../../../kit/vault/encrypted-stream.js';

const CONTEXT = 'spooled rows';
export const ROWS_AT_ONCE = 500;

/**
 * Rows that are read once and written twice, as JSON and as CSV, which needs all columns first. They wait in a file that
 * nobody can read: its key is in this object alone.
 */
export class SpooledRows {
  count = 0;
  /** The members of all rows, in the order in which they came first. */
  readonly columns = new Set<string>();
  private readonly key = randomBytes(KEY_BYTES);

  private constructor(private readonly folder: string) {}

  /** Reads all rows. The caller removes the file by `discard`. */
  static async of(rows: AsyncIterable<object>, signal: AbortSignal): Promise<SpooledRows> {
    const spool = new SpooledRows(await mkdtemp(join(tmpdir(), 'tradepost-export-')));
    try {
      await pipeline(
        Readable.from(spool.linesOf(rows), { objectMode: false }),
        encrypting(spool.key, CONTEXT),
        createWriteStream(spool.path, { flags: 'wx', mode: 0o600 }),
        { signal },
      );
      return spool;
    } catch (error) {
      await spool.discard();
      throw error;
    }
  }

  /** Each row as JSON, many at once. */
  async *batches(): AsyncGenerator<string[]> {
    const text = decrypting(this.key, CONTEXT).setEncoding('utf8');
    const file = createReadStream(this.path).on('error', (error) => text.destroy(error));
    text.on('close', () => file.destroy());
    let batch: string[] = [];
    let rest = '';
    for await (const chunk of file.pipe(text) as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop()!;
      batch.push(...lines);
      if (batch.length < ROWS_AT_ONCE) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  async discard(): Promise<void> {
    this.key.fill(0);
    await rm(this.folder, { recursive: true, force: true });
  }

  private get path(): string {
    return join(this.folder, 'rows');
  }

  private async *linesOf(rows: AsyncIterable<object>): AsyncGenerator<string> {
    let lines = '';
    for await (const row of rows) {
      for (const name of Object.keys(row)) this.columns.add(name);
      lines += `${JSON.stringify(row)}\n`;
      if (++this.count % ROWS_AT_ONCE !== 0) continue;
      yield lines;
      lines = '';
    }
    yield lines;
  }
}
