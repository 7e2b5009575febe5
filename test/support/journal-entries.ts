import { GENESIS_HASH, type JournalContent, journalHash } from '../../src/core/journal/journal.js';
import type { JournalEntry } from '../../src/core/journal/journal-reader.js';

/** A chain of entries that no engine has made, with texts that are hard on those who look for lines and for names. */
export function journalEntries(count: number, history = 'one'): JournalEntry[] {
  const entries: JournalEntry[] = [];
  let previousHash = GENESIS_HASH;
  for (let number = 1; number <= count; number++) {
    const firstSequence = (entries.at(-1)?.lastSequence ?? 0) + 1;
    const next = firstSequence + 3;
    const content: JournalContent = {
      firstSequence,
      lastSequence: firstSequence + (number % 3),
      engineVersion: 1,
      timeMs: Date.UTC(2026, 10, 26) + number,
      commands: JSON.stringify([
        { note: `{"first_sequence":${next},"\n${history}€🦄`, first_sequence: next, number },
      ]),
      actors: number % 4 === 0 ? null : '[["client:demo",1]]',
      effects: number % 5 === 0 ? null : Buffer.from([1, number % 256, 0, 10, 13, 255]),
      stateHash: 'ab'.repeat(32),
    };
    const hash = journalHash(previousHash, content);
    entries.push({ ...content, epoch: 1, previousHash, hash });
    previousHash = hash;
  }
  return entries;
}
