import { invariant } from '../../domain/invariant.js';
import { GENESIS_HASH, journalHash } from './journal.js';
import type { EntryEffects, JournalEntry } from './journal-reader.js';

/** Where the chain of entries has come to. */
export interface ChainEnd {
  readonly sequence: number;
  readonly hash: string;
}

/** Before the first entry. */
export const CHAIN_BEGIN: ChainEnd = { sequence: 0, hash: GENESIS_HASH };

/** Why an entry is not the one that follows; null where it is. */
export function chainFault(before: ChainEnd, entry: JournalEntry): string | null {
  if (entry.previousHash !== before.hash) return 'its previous_hash is not the hash of the row before it';
  if (journalHash(before.hash, entry) !== entry.hash) return 'its content does not give its hash';
  if (entry.firstSequence !== before.sequence + 1)
    return `it begins at ${entry.firstSequence}, not where the row before ends`;
  return null;
}

/** Entries that were read after a sequence: none is missing between them, and each names the one before. */
export function checkConsecutive(after: number, entries: readonly EntryEffects[]): void {
  let sequence = after;
  let hash: string | null = null;
  for (const { firstSequence, lastSequence, previousHash, hash: own } of entries) {
    invariant(
      firstSequence === sequence + 1 && lastSequence >= firstSequence,
      'the journal has no gaps',
      sequence,
      firstSequence,
    );
    invariant(hash === null || previousHash === hash, 'the journal is one chain', firstSequence);
    sequence = lastSequence;
    hash = own;
  }
}
