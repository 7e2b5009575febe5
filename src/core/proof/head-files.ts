import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson, type Json } from '../../domain/proof/canonical-json.js';
import type { SignedJournalHead } from '../../domain/proof/journal-head.js';

const EVERY_MS = 60_000;
const DATE_LENGTH = 'YYYY-MM-DD'.length;

export function headsFolder(dataDir: string): string {
  return join(dataDir, 'journal-heads');
}

/**
 * Signed heads as files, one a day, for witnesses who copy them to where nobody can change them. A line is one head; there
 * is at most one a minute, which covers all before it.
 */
export class HeadFiles {
  private readonly folder: string;
  private writtenAtMs = -Infinity;

  constructor(dataDir: string) {
    this.folder = headsFolder(dataDir);
  }

  async write(head: SignedJournalHead): Promise<void> {
    const timeMs = Date.parse(head.time);
    if (timeMs < this.writtenAtMs + EVERY_MS) return;
    await mkdir(this.folder, { recursive: true });
    const file = join(this.folder, `heads-${head.time.slice(0, DATE_LENGTH)}.ndjson`);
    await appendFile(file, `${canonicalJson(head as unknown as Json)}\n`);
    this.writtenAtMs = timeMs;
  }
}
