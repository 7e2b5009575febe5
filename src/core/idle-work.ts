import type { CoreService } from './core.service.js';

const LOOK_EVERY_MS = 25;
/** Between two commits nothing waits for a moment, however busy the writer is; so one look is not enough. */
const QUIET_LOOKS = 3;

/**
 * Runs work that can wait, such as keeping projections up to date, while the writer is idle: under load it would only
 * slow down orders. Work with a deadline must set its own bound.
 */
export class IdleWork {
  private timer: NodeJS.Timeout | undefined;
  private quietLooks = 0;
  private isWorking = false;
  private requests = 0;

  /** `work` does one small piece at a time and answers whether more is left. It never rejects. */
  constructor(
    private readonly core: Pick<CoreService, 'isQuiet'>,
    private readonly work: () => Promise<boolean>,
  ) {}

  /** Requests work: it begins when the writer has been idle for a while, and continues until none is left. */
  request(): void {
    this.requests++;
    this.timer ??= setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.quietLooks = 0;
  }

  private async look(): Promise<void> {
    if (this.isWorking) return;
    this.quietLooks = this.core.isQuiet ? this.quietLooks + 1 : 0;
    if (this.quietLooks < QUIET_LOOKS) return;
    this.isWorking = true;
    const requestsBefore = this.requests;
    const isMoreLeft = await this.work();
    this.isWorking = false;
    // A request made meanwhile may concern what the last piece has not seen.
    if (!isMoreLeft && this.requests === requestsBefore) this.stop();
  }
}
