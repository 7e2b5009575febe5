import type { Clock } from '../../kit/clock.js';
import { CommandClock } from '../clock/command-clock.js';
import type { SequencerLog } from './sequencer-options.js';

/** The clock of the commands, which tells operators where somebody has set the wall clock. */
export class WatchedClock extends CommandClock {
  private isStepReported = false;

  constructor(
    clock: Clock,
    private readonly log: Pick<SequencerLog, 'info' | 'warn'>,
  ) {
    super(clock);
  }

  /** Looks whether the wall clock has been set, and says so once each time. */
  watch(): void {
    this.clock.read();
    const { hasStepped, driftMs } = this.clock;
    if (hasStepped === this.isStepReported) return;
    this.isStepReported = hasStepped;
    const drift = { driftMs: Math.round(driftMs) };
    if (hasStepped) this.log.warn(drift, 'the clock was set; the core goes on by the monotonic clock');
    else this.log.info(drift, 'the clock agrees again');
  }
}
