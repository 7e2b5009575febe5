import { createReadStream } from 'node:fs';
import { appendFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type CanonicalRow, sealOf } from './audit-chain.js';

const FOLDER = 'audit-log';
const DATE_LENGTH = 'YYYY-MM-DD'.length;
const NAME = /^audit-\d{4}-\d\d-\d\d\.ndjson$/;

/** A row of the audit log with its place in the chain. */
export interface SealedAct extends CanonicalRow {
  readonly position: number;
  readonly previous_hash: string;
  readonly hash: string;
}

/** Sealed acts as files, one a day, to be copied elsewhere: they tell what a restored backup has forgotten. */
export class AuditFiles {
  private readonly folder: string;

  constructor(dataDir: string) {
    this.folder = join(dataDir, FOLDER);
  }

  /** A process that dies between the seal and this leaves a gap, which readers see by the positions. */
  async write(acts: readonly SealedAct[]): Promise<void> {
    const linesByFile = new Map<string, string>();
    for (const act of acts) {
      const day = new Date(Number(act.at_ms)).toISOString().slice(0, DATE_LENGTH);
      const name = `audit-${day}.ndjson`;
      linesByFile.set(name, `${linesByFile.get(name) ?? ''}${JSON.stringify(act)}\n`);
    }
    if (linesByFile.size > 0) await mkdir(this.folder, { recursive: true });
    for (const [name, lines] of linesByFile)
      await appendFile(join(this.folder, name), lines, { mode: 0o600 });
  }
}

/** All acts of a folder, by day. Throws where a line is not what was sealed; a line that was cut short is left out. */
export async function* readAuditFiles(folder: string): AsyncGenerator<SealedAct> {
  for (const name of (await readdir(folder)).filter((file) => NAME.test(file)).sort()) {
    for await (const line of createInterface({ input: createReadStream(join(folder, name)) })) {
      const act = parsed(line);
      if (act === undefined) continue;
      if (sealOf(act.previous_hash, act.position, act) !== act.hash)
        throw new Error(`${join(folder, name)}: the act at position ${act.position} is not what was sealed`);
      yield act;
    }
  }
}

function parsed(line: string): SealedAct | undefined {
  try {
    return JSON.parse(line) as SealedAct;
  } catch {
    return undefined;
  }
}
