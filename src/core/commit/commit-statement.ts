/** The one statement that makes a batch durable: the leader's fence, and one journal row drawn through it. */
import type { JournalRow } from '../journal/journal.js';
import { pack } from '../journal/packing.js';
import type { SqlStatement } from '../tables/statement.js';

export interface Fence {
  readonly epoch: number;
  readonly previousSequence: number;
  readonly leaseMs: number;
}

/** What every commit writes: the leader's row and the journal's. */
export const ROWS_PER_COMMIT = 2;

/** Answers one row, `fenced`: 1 if this process still leads; otherwise nothing was written. */
export function commitStatement(fence: Fence, journal: JournalRow): SqlStatement {
  const commands = Buffer.from(journal.commands);
  const stored = pack(commands);
  const isPacked = stored !== commands;
  return {
    name: 'core-commit',
    text: `
      WITH fence AS (
        UPDATE core_leader
        SET last_sequence = $2::int8, state_parts = $9::text,
            lease_until = clock_timestamp() + $11::int8 * interval '1 millisecond'
        WHERE epoch = $1::int8 AND last_sequence = $10::int8
        RETURNING 1
      ), journaled AS (
        INSERT INTO journal (epoch, last_sequence, first_sequence, engine_version, committed_at, commands,
          packed_commands, actors, effects, state_hash, previous_hash, hash)
        SELECT $1::int8, $2::int8, $3::int8, $4::int4, timestamptz 'epoch' + $5::int8 * interval '1 millisecond',
          $6::text, $15::bytea, $13::text, $14::bytea, $7::text, $8::text, $12::text
        FROM fence
      )
      SELECT count(*)::int4 AS fenced FROM fence`,
    values: [
      fence.epoch,
      journal.lastSequence,
      journal.firstSequence,
      journal.engineVersion,
      journal.timeMs,
      isPacked ? null : journal.commands,
      journal.stateHash,
      journal.previousHash,
      journal.stateParts,
      fence.previousSequence,
      fence.leaseMs,
      journal.hash,
      journal.actors,
      pack(journal.effects),
      isPacked ? stored : null,
    ],
  };
}
