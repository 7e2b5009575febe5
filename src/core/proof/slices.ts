import { setImmediate as nextTurn } from 'node:timers/promises';

const SLICE_MS = 4;

/** Long work gives time to orders between its parts: `while (…) { …; if (slices.isOver) await slices.next(); }`. */
export class Slices {
  private beganMs = performance.now();

  get isOver(): boolean {
    return performance.now() - this.beganMs >= SLICE_MS;
  }

  async next(): Promise<void> {
    await nextTurn();
    this.beganMs = performance.now();
  }
}
