import type { Response } from 'express';
import { RATE_LIMITED } from '../error-codes.js';
import { ApiError } from '../errors.js';

/** An upload may take 10 MB of memory, and half a minute to arrive. */
export const UPLOADS_MAX = 32;
/** Half of them, so that one slow caller leaves room for the others. */
export const UPLOADS_PER_CALLER_MAX = 16;

/** Limits the number of uploads in memory. */
export class UploadSlots {
  private taken = 0;
  private readonly takenBy = new Map<string, number>();

  /**
   * Takes a slot for a caller until the response ends or the client disconnects. Throws `rate_limited` (429) if the
   * caller, or all callers together, have too many.
   */
  take(caller: string, response: Response): void {
    const takenByCaller = this.takenBy.get(caller) ?? 0;
    if (takenByCaller >= UPLOADS_PER_CALLER_MAX || this.taken >= UPLOADS_MAX) {
      throw new ApiError(RATE_LIMITED, 'Too many uploads at once; wait a second and try again.', {
        headers: { 'Retry-After': '1' },
      });
    }
    this.taken++;
    this.takenBy.set(caller, takenByCaller + 1);
    response.once('close', () => this.release(caller));
  }

  private release(caller: string): void {
    this.taken--;
    const left = (this.takenBy.get(caller) ?? 0) - 1;
    // Callers without uploads are removed, so that the map does not grow.
    if (left > 0) this.takenBy.set(caller, left);
    else this.takenBy.delete(caller);
  }
}
