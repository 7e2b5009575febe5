import { monotonicMs } from '../clock/command-clock.js';

/** How old what waits is, for a follower whose steps each take up all that there was when the step began. */
export class Backlog {
  private oldestMs: number | null = null;
  /** The oldest that the present step may not see. */
  private oldestOfNextMs: number | null = null;

  get lagMs(): number {
    return this.oldestMs === null ? 0 : monotonicMs() - this.oldestMs;
  }

  /** Something to take up was committed. */
  add(): void {
    const nowMs = monotonicMs();
    this.oldestMs ??= nowMs;
    this.oldestOfNextMs ??= nowMs;
  }

  beginStep(): void {
    this.oldestOfNextMs = null;
  }

  /** Where a step fails or leaves something, that is as old as before. */
  endStep(): void {
    this.oldestMs = this.oldestOfNextMs;
  }
}
