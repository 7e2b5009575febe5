import { invariant } from '../../domain/invariant.js';
import type { EntryEffects } from './journal-reader.js';
import type { JournalRow } from './journal.js';

/** Some ten seconds of full load. */
const BYTES_MAX = 32 * 1024 * 1024;
/** Small rows cost more memory than their bytes. */
const ROWS_MAX = 4_000;

/** Which entries are wanted, as `readEffects` takes them. */
export interface EntryRange {
  readonly afterSequence: number;
  readonly limit: number;
  readonly untilSequence: number;
  /** Later ones are not wanted, but for the first. */
  readonly beginsBy: number;
}

/**
 * The rows that a term has committed and nobody has followed yet, as they were before they were packed. A term has its
 * own, so what another process may have committed since is never among them.
 */
export class RecentRows {
  private rows: EntryEffects[] = [];
  private bytes = 0;

  constructor(
    private readonly bytesMax = BYTES_MAX,
    private readonly rowsMax = ROWS_MAX,
  ) {}

  /** Once there are too many, those that come later are left out until all these were followed. */
  add({ firstSequence, lastSequence, engineVersion, timeMs, effects, trace, ...hashes }: JournalRow): void {
    const { stateHash, previousHash, hash } = hashes;
    const last = this.rows.at(-1);
    if (last !== undefined && last.hash !== previousHash) return;
    invariant(
      lastSequence >= firstSequence && (last === undefined || firstSequence === last.lastSequence + 1),
      'rows of the journal are kept in their order',
      firstSequence,
      last?.lastSequence,
    );
    if (this.bytes >= this.bytesMax || this.rows.length >= this.rowsMax) return;
    this.bytes += effects.length;
    this.rows.push({
      firstSequence,
      lastSequence,
      engineVersion,
      timeMs,
      effects,
      ...(trace !== undefined && { trace }),
      stateHash,
      previousHash,
      hash,
    });
  }

  /** The next ones after a sequence, oldest first; none where it is not known what comes next. Forgets those before. */
  take({ afterSequence, limit, untilSequence, beginsBy }: EntryRange): readonly EntryEffects[] {
    const isBefore = ({ lastSequence }: EntryEffects) => lastSequence <= afterSequence;
    const kept = this.rows.findIndex((row) => !isBefore(row));
    for (const { effects } of this.rows.splice(0, kept < 0 ? this.rows.length : kept))
      this.bytes -= effects!.length;
    if (this.rows[0]?.firstSequence !== afterSequence + 1) return [];
    const end = this.rows.findIndex(
      ({ firstSequence, lastSequence }) => lastSequence > untilSequence || firstSequence > beginsBy,
    );
    return this.rows.slice(0, Math.min(limit, end < 0 ? this.rows.length : end));
  }
}
