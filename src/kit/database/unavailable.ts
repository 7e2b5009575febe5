import { QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';

/** Socket errors that mean that nobody listens, or that the connection broke. */
const SOCKET_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** Messages of pg without a code: the connection ended during a query, or none was free in time. */
const PG_COMPLAINTS =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/**
 * Whether an error of pg or TypeORM means that the database was unreachable or shutting down, rather than that it
 * refused the statement. A read may be retried; the outcome of a write is unknown.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // TypeORM releases a query runner whose connection is lost between two queries of a transaction.
  if (error instanceof QueryRunnerAlreadyReleasedError) return true;
  if (error instanceof QueryRunnerProviderAlreadyReleasedError) return true;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') {
    // Class 08: connection exceptions; 57P01 to 57P03: shutting down, crashed, starting; 53300: no slot left; 25006: no primary any more.
    return SOCKET_ERRORS.has(code) || /^(08...|57P0[123]|53300|25006)$/.test(code);
  }
  // A host with several addresses fails with one error for each.
  if (error instanceof AggregateError)
    return error.errors.length > 0 && error.errors.every(isDatabaseUnavailable);
  return (
    PG_COMPLAINTS.test(error.message) ||
    isDatabaseUnavailable((error as { driverError?: unknown }).driverError)
  );
}
