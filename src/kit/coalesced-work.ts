import { handleForAll } from './turns/owner.js';

/**
 * Lets one piece of work run at a time and be shared: whoever comes while it is going on may have come too late for
 * it, and waits for the next one together with all others who do.
 */
export class CoalescedWork<Result> {
  private running: Promise<Result> | null = null;
  private next: Promise<Result> | null = null;

  constructor(private readonly work: () => Promise<Result>) {}

  /** What the work answers that begins at the earliest now. */
  take(): Promise<Result> {
    if (this.running === null) return this.begin();
    this.next ??= this.running
      .catch(() => undefined)
      .then(() => {
        this.next = null;
        return this.begin();
      });
    return this.next;
  }

  /** Resolves once what is going on has ended, and what waits for it, however they end. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.running, this.next]);
  }

  private begin(): Promise<Result> {
    this.running ??= handleForAll(() => this.work()).finally(() => {
      this.running = null;
    });
    return this.running;
  }
}
