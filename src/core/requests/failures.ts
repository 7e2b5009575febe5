/** What a failed batch says about whose fault it was, and about what became of it. */
import pg from 'pg';
import { InvariantError } from '../../domain/invariant.js';
import { ServiceFailure } from '../../kit/coded-error.js';
import { LostLeadership } from '../leadership/leadership.js';

/** The engine itself failed on a batch: a fault in a command or in the code, not in the connection. */
export class EngineFault extends Error {}

/** When somebody whom the core could not answer should ask again. */
const RETRY_AFTER_S = 1;
const CAPACITY_RETRY_AFTER_S = 60;

export function unavailable(message: string): ServiceFailure {
  return new ServiceFailure('temporarily_unavailable', message, { retryAfterS: RETRY_AFTER_S });
}

/** Cancelling orders makes room, which takes longer than the caller of one should wait. */
export function atCapacity(): ServiceFailure {
  const message =
    'The exchange has as many open orders as it has memory for. Cancel some, or try again later.';
  return new ServiceFailure('capacity', message, { retryAfterS: CAPACITY_RETRY_AFTER_S });
}

export function outcomeUnknown(
  message = 'It is not known whether the request took effect. Repeat it with the same Idempotency-Key or client_order_id, under which it runs once; GET /orders?client_order_id= finds an order that was placed.',
  cause?: unknown,
): ServiceFailure {
  return new ServiceFailure('outcome_unknown', message, { retryAfterS: RETRY_AFTER_S, cause });
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The server said no: nothing of the statement took effect. Anything else leaves the outcome open. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof LostLeadership) return false;
  return !isRefusedByServer(error);
}

/**
 * A fault in what was asked, or in the service that works on it: the engine threw, an invariant is violated, the data
 * fits no column (class 22) or breaks a constraint (23). Only this is blamed on a command and its market. All else, such
 * as damaged indexes (XX), missing rights or tables (42), missing partitions and limits (54), would meet the next one, too.
 */
export function isDataFault(error: unknown): boolean {
  if (error instanceof EngineFault || error instanceof InvariantError) return true;
  return isRefusedByServer(error) && /^2[23]/.test(error.code ?? '') && !isPartitionMissing(error);
}

/** A row for which no partition is there breaks, in PostgreSQL's words, a check that has no name. */
function isPartitionMissing({ code, constraint }: pg.DatabaseError): boolean {
  return code === '23514' && constraint === undefined;
}

/** The server is there and refuses, for a reason of its own. */
export function isServerTrouble(error: unknown): boolean {
  return isRefusedByServer(error) && !isDataFault(error);
}

function isRefusedByServer(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR';
}
