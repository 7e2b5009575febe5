/**
 * What must hold of a batch before it becomes durable, beside the engine's own invariants. Where something does not,
 * nothing is committed and the term is over.
 */
import { invariant } from '../../domain/invariant.js';
import type { JournalRow } from '../journal/journal.js';
import type { AppliedBatch } from './batch.js';
import type { PreparedBatch } from './prepared-batch.js';

/** Where the journal has come to. */
export interface JournalPlace {
  readonly sequence: number;
  readonly timeMs: number;
  readonly hash: string;
}

/** After the batch has been applied: `before` is what was prepared last, durable or on its way. */
export function checkAppliedBatch(
  { answers, changes, commands, firstSequence, lastSequence, timeMs }: AppliedBatch,
  works: number,
  before: JournalPlace,
): void {
  invariant(answers.length === works, 'each request of a batch has one answer', answers.length, works);
  invariant(
    firstSequence === before.sequence + 1 && timeMs >= before.timeMs,
    'a batch begins where the one before it has ended',
    firstSequence,
    before.sequence,
  );
  invariant(
    lastSequence >= before.sequence + commands.length,
    'each command that is carried out has a number',
    lastSequence,
    commands.length,
  );
  if (commands.length > 0) return;
  const { orders, balances, positions, transfers, markets, newHolds, endedHolds } = changes;
  const changed = [orders, balances, positions, transfers, markets, newHolds, endedHolds];
  invariant(
    lastSequence === before.sequence && changed.every(({ length }) => length === 0),
    'a batch without commands changes nothing',
    lastSequence,
  );
}

/** Before it is sent: `end` is the end of the journal, as the last commit of this term has left it. */
export function checkCommit({ firstSequence }: PreparedBatch, journal: JournalRow, end: JournalPlace): void {
  invariant(
    journal.firstSequence === firstSequence && firstSequence === end.sequence + 1,
    'a row of the journal begins where the one before it ends',
    journal.firstSequence,
    end.sequence,
  );
  invariant(
    journal.lastSequence >= firstSequence && journal.timeMs >= end.timeMs,
    'the journal goes forward',
    journal.lastSequence,
    end.sequence,
  );
  invariant(
    journal.previousHash === end.hash && journal.hash !== end.hash,
    'a row of the journal is chained to the one before it',
    journal.firstSequence,
  );
}

/** What the database says it has written, of as many rows as were sent. */
export function checkWritten(rowCount: number | null, sent: number | undefined): void {
  invariant(sent === undefined || rowCount === sent, 'each row that is sent is written', rowCount, sent);
}
