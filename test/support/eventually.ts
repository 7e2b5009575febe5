import { vi } from 'vitest';

/** Generous, for a busy machine: on an idle one the result comes within a moment. */
const WAIT_MS_MAX = 60_000;
const CHECK_EVERY_MS = 10;

/**
 * Waits until a check passes: it neither throws nor returns false. Resolves with its result. `what` describes the
 * expectation, for the error when a check returns false.
 */
export function eventually(check: () => boolean | Promise<boolean>, what: string): Promise<void>;
export function eventually<T>(check: () => T | Promise<T>): Promise<T>;
export function eventually<T>(check: () => T | Promise<T>, what?: string): Promise<T> {
  return vi.waitFor(
    async () => {
      const answer = await check();
      if (answer === false) throw new Error(`never came true: ${what}`);
      return answer;
    },
    { timeout: WAIT_MS_MAX, interval: CHECK_EVERY_MS },
  );
}
