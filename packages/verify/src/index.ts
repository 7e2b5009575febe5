/**
 * Checks what a service signs and gives out (`proofs.ts`), and the archive of a journal as `npm run journal:archive` writes it: every row continues the hash chain, its
 * commands do what it says, and the books add up after each. Needs the files alone, no service and no database.
 */
import { genesis } from '../../../src/core/journal/checkpoint.js';
import { ArchiveDamage, listArchive, readArchiveFile } from '../../../src/core/journal/journal-archive.js';
import { JournalReplay } from '../../../src/core/journal/journal-replay.js';

export {
  type BookOrder,
  type ProvenHeads,
  type ProvenLiability,
  type ProvenPublicJournal,
  type ProvenReceipt,
  PublicJournal,
  type Verified,
  verifyConsistency,
  verifyHeads,
  verifyLiability,
  verifyReceipt,
} from './proofs.js';

/** What somebody noted of the journal earlier, from whatever source. */
export interface Witness {
  /** The `last_sequence` of a row. */
  readonly sequence: number;
  /** That row's `hash` in the chain, or the `state_hash` after it, in hexadecimal. */
  readonly hash: string;
}

export interface VerifyOptions {
  /** Each must be what the archive leads to at its sequence. */
  readonly witnesses?: readonly Witness[];
  /** Called for each file that has been checked, with the last sequence in it. */
  readonly onFile?: (file: { readonly path: string; readonly sequence: number }) => void;
}

export type Verification =
  | {
      readonly ok: true;
      /** Rows of the journal, and the commands in them. */
      readonly rows: number;
      readonly commands: number;
      /** The end of the archive. */
      readonly sequence: number;
      /** The hash of the chain there: it covers everything before it. */
      readonly journalHash: string;
      /** The hash of all balances, positions, orders, holds and markets there. */
      readonly stateHash: string;
    }
  /** `sequence` is the first row that is not what it should be. */
  | { readonly ok: false; readonly sequence: number; readonly reason: string };

/**
 * Replays all files of a folder, from the first row of the journal on, in the memory of the accounts' state.
 *
 * @throws where the folder cannot be read, or has no archive in it
 */
export async function verifyArchive(
  folder: string,
  { witnesses = [], onFile }: VerifyOptions = {},
): Promise<Verification> {
  const replay = new JournalReplay(genesis());
  const waiting = [...witnesses].sort((a, b) => a.sequence - b.sequence);
  try {
    const files = await listArchive(folder);
    if (files.length === 0) throw new Error(`there is no archive of a journal in ${folder}`);
    for (const file of files) {
      for await (const entry of readArchiveFile(file)) {
        const { lastSequence: sequence } = entry;
        const fault = replay.take(entry) ?? contradiction(replay, waiting);
        if (fault !== null) return { ok: false, sequence, reason: `${fault} (in ${file.path})` };
      }
      onFile?.({ path: file.path, sequence: replay.sequence });
    }
  } catch (error) {
    if (error instanceof ArchiveDamage) return { ok: false, sequence: error.sequence, reason: error.message };
    throw error;
  }
  const { entries: rows, commands, sequence, journalHash, stateHash } = replay;
  const [missed] = waiting;
  if (missed !== undefined)
    return { ok: false, sequence: missed.sequence, reason: `the archive ends before it, at ${sequence}` };
  return { ok: true, rows, commands, sequence, journalHash, stateHash };
}

/** Why the replay is not where a witness says; takes those out that it has come to. */
function contradiction(
  { sequence, journalHash, stateHash }: JournalReplay,
  waiting: Witness[],
): string | null {
  while (waiting[0] !== undefined && waiting[0].sequence <= sequence) {
    const witness = waiting.shift()!;
    if (witness.sequence !== sequence) return `no row ends at ${witness.sequence}, of which a hash was noted`;
    const noted = witness.hash.toLowerCase();
    if (noted !== journalHash && noted !== stateHash)
      return `its hash is ${journalHash} and its state's ${stateHash}; noted was ${noted}`;
  }
  return null;
}
