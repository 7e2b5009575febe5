import { Injectable } from '@nestjs/common';

/** Corrections up to this much, such as those of NTP, are followed. */
export const CLOCK_STEP_MS_MAX = 5_000;

/**
 * The time that this process goes by. The wall clock says what time it is, the monotonic clock how much of it has passed;
 * where the two disagree by a step, the monotonic one is followed. So a clock that is set forward by mistake expires
 * nothing, and one that is set back lets nothing live longer. A restart takes the wall clock as it is.
 *
 * The monotonic clock is CLOCK_MONOTONIC: it goes on while a process is stopped (SIGSTOP), and it stands still while the
 * whole machine is suspended. After that the wall clock is ahead by the time of the suspension, which looks like a step:
 * the operator is told, and a restart accepts it.
 */
@Injectable()
export class Clock {
  private readAtMs = performance.now();
  private presentMs = Date.now();
  /** How far the wall clock is ahead of the followed clock; negative if behind. */
  driftMs = 0;

  /** Whether the wall clock has been set by more than is followed. */
  get hasStepped(): boolean {
    return Math.abs(this.driftMs) > CLOCK_STEP_MS_MAX;
  }

  /** In whole milliseconds. */
  nowMs(): number {
    return Math.floor(this.read());
  }

  /** The present by both clocks. Read often: slow corrections of the wall clock must not add up to a step. */
  read(): number {
    const readAtMs = performance.now();
    const expectedMs = this.presentMs + (readAtMs - this.readAtMs);
    const wallMs = Date.now();
    this.readAtMs = readAtMs;
    this.driftMs = wallMs - expectedMs;
    this.presentMs = this.hasStepped ? expectedMs : wallMs;
    return this.presentMs;
  }
}
