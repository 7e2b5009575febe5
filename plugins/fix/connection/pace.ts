import { setTimeout as delay } from 'node:timers/promises';

const SECOND_MS = 1_000;

/** Lets so many pass in a second; the next ones wait for the next second. */
export class Pace {
  private startedMs = 0;
  private passed = 0;

  constructor(private readonly perSecondMax: number) {}

  async pass(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.startedMs >= SECOND_MS) {
      this.startedMs = nowMs;
      this.passed = 0;
    } else if (this.passed >= this.perSecondMax) {
      await delay(this.startedMs + SECOND_MS - nowMs);
      return this.pass();
    }
    this.passed++;
  }
}
