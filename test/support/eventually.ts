import { vi } from 'vitest';

/** For a machine that is busy with other things: what is waited for comes within a moment on any other. */
const WAIT_MS_MAX = 60_000;
const CHECK_EVERY_MS = 10;

/**
 * Waits until a check passes: it neither throws nor returns false. Resolves with what it returned.
 * `what` is for the error, where a check that returns false cannot say itself what it misses.
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
