/** Waits that end early, by the signal's reason. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = (): void => {
      clearTimeout(timer);
      reject(reasonOf(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** The promise's outcome, or the signal's reason where that comes first; what the promise waits for goes on. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  let end: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    end = () => reject(reasonOf(signal));
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

export function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}

/** A random part of a limit that doubles with every attempt, so that clients do not come back together. */
export function backoffMs(failures: number, baseMs: number, maxMs: number): number {
  return Math.random() * Math.min(maxMs, baseMs * 2 ** Math.min(failures, 30));
}

/** What is waited for, over and over: `wait` returns after the next `wake`, or after one that came before it. */
export class Signalled {
  #isSet = false;
  #waiting: (() => void) | undefined;

  wake(): void {
    this.#isSet = true;
    this.#waiting?.();
  }

  async wait(): Promise<void> {
    if (!this.#isSet) await new Promise<void>((resolve) => (this.#waiting = resolve));
    this.#waiting = undefined;
    this.#isSet = false;
  }
}
