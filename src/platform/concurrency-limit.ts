import { ApiError } from './http/errors.js';

/**
 * Runs a bounded number of heavy tasks at once and lets a bounded number wait, so that they do not starve everything
 * else.
 */
export class ConcurrencyLimit {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly runningMax: number,
    private readonly waitingMax: number,
  ) {}

  /** Runs the work when a slot is free. Rejects as the work does, and with `rate_limited` (429) if too many wait. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    await this.begin();
    try {
      return await work();
    } finally {
      this.end();
    }
  }

  private async begin(): Promise<void> {
    if (this.running < this.runningMax) {
      this.running++;
      return;
    }
    if (this.waiting.length >= this.waitingMax) {
      throw new ApiError('rate_limited', 'Too many such requests at once; wait a second and try again.', {
        headers: { 'Retry-After': '1' },
      });
    }
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Passes the slot directly to the longest waiter, so that no newcomer gets ahead. */
  private end(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.running--;
  }
}
