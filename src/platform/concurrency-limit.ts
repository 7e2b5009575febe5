import { ApiError } from './http/errors.js';

/**
 * Lets a bounded number of pieces of work run at once and a bounded number wait, for work that takes much of
 * the machine: more at once would only starve everything else.
 */
export class ConcurrencyLimit {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly runningMax: number,
    private readonly waitingMax: number,
  ) {}

  /** Runs the work when its turn comes. Rejects as the work does, and with `rate_limited` (429) where too many wait. */
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

  /** A turn goes straight to who waits longest, so that no newcomer slips in between. */
  private end(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.running--;
  }
}
