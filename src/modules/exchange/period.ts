import { ApiError } from '../../platform/http/errors.js';
import { parseUtcTime } from '../../platform/http/validation/is-utc-time.js';

/** From a time on, and before another; either may be open. */
export interface Period {
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
}

/** Reads times that have been validated. Throws `validation_failed` where the period ends before it begins. */
export function periodOf({ from, to }: { from?: string; to?: string }): Period {
  const fromMs = from === undefined ? undefined : parseUtcTime(from)!;
  const toMs = to === undefined ? undefined : parseUtcTime(to)!;
  if (fromMs !== undefined && toMs !== undefined && fromMs > toMs) {
    throw ApiError.validation([{ field: 'to', message: 'to must not be before from' }]);
  }
  return { fromMs, toMs };
}
