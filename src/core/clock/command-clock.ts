import type { Clock } from '../../kit/clock.js';

/** What commands wait for while the state's time is ahead of the clock: it then runs at half speed. */
const SLEW = 0.5;

export function monotonicMs(): number {
  return performance.now();
}

/** The time that commands carry. */
export class CommandClock {
  private commandMs = 0;
  private commandAtMs = monotonicMs();

  constructor(protected readonly clock: Clock) {}

  /**
   * The time of a command after a state of time `stateMs`, in whole milliseconds; never below it. If the state's time
   * is ahead (after a wrong clock), it runs at half speed until the clock has caught up: it neither stops nor keeps its
   * lead. Expiries continue meanwhile, early by the remaining lead.
   */
  nowMs(stateMs: number): number {
    const presentMs = this.clock.read();
    const readAtMs = monotonicMs();
    if (stateMs > this.commandMs) {
      this.commandMs = stateMs;
      this.commandAtMs = readAtMs;
    }
    const slewedMs = this.commandMs + (readAtMs - this.commandAtMs) * SLEW;
    this.commandMs = Math.max(presentMs, slewedMs);
    this.commandAtMs = readAtMs;
    return Math.floor(this.commandMs);
  }
}
