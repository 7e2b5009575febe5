/**
 * The time that commands carry. The wall clock says what time it is, the monotonic clock how much of it
 * has passed; where the two disagree by a step, the monotonic one is followed. So a clock that is set
 * forward by mistake expires nothing, and one that is set back lets nothing live longer. A restart takes
 * the wall clock as it is.
 *
 * The monotonic clock is CLOCK_MONOTONIC: it goes on while a process is stopped (SIGSTOP), and it stands
 * still while the whole machine is suspended. After that the wall clock is ahead by the time of the
 * suspension, which looks like a step: the operator is told, and a restart accepts it.
 */

/** Corrections up to this much, such as those of NTP, are followed. */
export const CLOCK_STEP_MS_MAX = 5_000;

/** What commands wait for while the state's time is ahead of the clock: it then runs at half speed. */
const SLEW = 0.5;

export function monotonicMs(): number {
  return performance.now();
}

export class CommandClock {
  private readAtMs = monotonicMs();
  private presentMs = Date.now();
  private commandMs = 0;
  private commandAtMs = this.readAtMs;
  /** How far the wall clock is ahead of the followed clock; negative if behind. */
  driftMs = 0;

  /** Whether the wall clock has been set by more than is followed. */
  get hasStepped(): boolean {
    return Math.abs(this.driftMs) > CLOCK_STEP_MS_MAX;
  }

  /**
   * The time of a command after a state of time `stateMs`, in whole milliseconds; never below it. If the state's time
   * is ahead (after a wrong clock), it runs at half speed until the clock has caught up: it neither stops nor keeps its
   * lead. Expiries continue meanwhile, early by the remaining lead.
   */
  nowMs(stateMs: number): number {
    const presentMs = this.read();
    if (stateMs > this.commandMs) {
      this.commandMs = stateMs;
      this.commandAtMs = this.readAtMs;
    }
    const slewedMs = this.commandMs + (this.readAtMs - this.commandAtMs) * SLEW;
    this.commandMs = Math.max(presentMs, slewedMs);
    this.commandAtMs = this.readAtMs;
    return Math.floor(this.commandMs);
  }

  /** The present by both clocks. Read often: slow corrections of the wall clock must not add up to a step. */
  read(): number {
    const readAtMs = monotonicMs();
    const expectedMs = this.presentMs + (readAtMs - this.readAtMs);
    const wallMs = Date.now();
    this.readAtMs = readAtMs;
    this.driftMs = wallMs - expectedMs;
    this.presentMs = this.hasStepped ? expectedMs : wallMs;
    return this.presentMs;
  }
}
