import { TradepostError } from '../errors.js';
import { backoffMs, sleep } from '../waiting.js';

const DELAY_MS = 200;
const DELAY_MS_MAX = 10_000;
/** With these waits, about a minute on average. */
const FAILURES_MAX = 15;

/** Counts the connections in a row that came to nothing, and waits before the next one. */
export class Reconnecting {
  #failures = 0;

  constructor(
    private readonly operation: string,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** Something came: the next failure is the first again. */
  succeed(): void {
    this.#failures = 0;
  }

  /** Rejects where there were too many failures, or one that another connection would not cure. */
  async pause(error: unknown): Promise<void> {
    this.signal?.throwIfAborted();
    if (error instanceof TradepostError && isFinal(error)) throw error;
    this.#failures++;
    if (this.#failures > FAILURES_MAX) {
      if (error instanceof TradepostError) throw error;
      throw new TradepostError({
        code: 'connection_failed',
        message: 'The stream broke off again and again.',
        operation: this.operation,
        attempts: this.#failures,
      });
    }
    const askedMs = error instanceof TradepostError ? (error.retryAfterMs ?? 0) : 0;
    await sleep(
      Math.min(askedMs, DELAY_MS_MAX) + backoffMs(this.#failures - 1, DELAY_MS, DELAY_MS_MAX),
      this.signal,
    );
  }
}

/** Refused for good: not for the moment, and not for want of an answer. */
function isFinal({ code, status }: TradepostError): boolean {
  return (
    (status >= 400 && status < 500 && status !== 429) ||
    ['stream_out_of_sync', 'insufficient_scope', 'forbidden', 'validation_failed', 'user_locked'].includes(
      code,
    ) ||
    code.endsWith('not_found')
  );
}
