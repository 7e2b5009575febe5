import type { CommitTimes } from './commit-times.js';

/** What a follower may have before it: as much as it takes up in this time, which leaves it the rest of a second. */
const TAKE_UP_MS = 500;
/** The least that it may have before it, however little there was to take up of late. */
const SEQUENCES_MIN = 8_000;
/** One that is less far behind is up to date, and a burst that is over so soon makes no writer rest; */
const UP_TO_DATE_MS = 300;
/** but so long after a rest it is known how fast the follower is, and each batch counts. */
const WARY_MS = 10_000;
/** One that is so far behind and takes up nothing is stuck, */
const STUCK_MS = 5_000;
/** and one that is so far behind works off a long past: no order waits for them. */
const LONG_PAST_MS = 30_000;
const WINDOW_MS = 1_000;
/** How much of what a follower takes up may be added while it has too much before it. */
const ADDED_MEANWHILE = 0.5;

/**
 * How fast a follower takes up commits, in places of the ledger sequence, and whether the writer is too fast for it.
 *
 * What is before a follower takes what is before it divided by its pace. So while the writer rests as soon as more is
 * before the follower than that takes up in TAKE_UP_MS, no commit waits much longer, at whatever speed orders come.
 */
export class FollowerPace {
  /** Too far behind to be waited for. */
  isLeftBehind = false;
  private windowAtMs = -Infinity;
  private windowSequence = 0;
  private lastTaken = 0;
  private tookUpAtMs = -Infinity;
  /** In the last whole window. */
  private lastPerSecond = 0;
  private overrunAtMs = -Infinity;
  /** Where the writer and the follower were when too much was before it. */
  private overrunFrom: { readonly committed: number; readonly taken: number } | null = null;

  /** Whether the writer has to rest; to be asked before each batch, or nearly so. */
  isOverrun(times: CommitTimes, lagMs: number, nowMs: number): boolean {
    const committed = times.sequence;
    const taken = lagMs === 0 ? committed : times.sequenceAt(nowMs - lagMs);
    const perSecond = this.measure(taken, nowMs);
    const isUnnoticed = lagMs <= UP_TO_DATE_MS && nowMs - this.overrunAtMs > WARY_MS;
    const allowed = Math.max(SEQUENCES_MIN, (perSecond * TAKE_UP_MS) / 1000);
    const isStuck = lagMs > STUCK_MS && nowMs - this.tookUpAtMs > WINDOW_MS;
    this.isLeftBehind = isStuck || lagMs > LONG_PAST_MS;
    const isWaitedFor = !this.isLeftBehind && times.isOfTerm(taken);
    if (isUnnoticed || !isWaitedFor || committed - taken <= allowed) {
      this.overrunFrom = null;
      return false;
    }
    this.overrunAtMs = nowMs;
    this.overrunFrom ??= { committed, taken };
    const added = committed - this.overrunFrom.committed;
    return added > (taken - this.overrunFrom.taken) * ADDED_MEANWHILE;
  }

  /** What it takes up in a second. */
  private measure(taken: number, nowMs: number): number {
    const elapsedMs = nowMs - this.windowAtMs;
    const perSecond = ((taken - this.windowSequence) * 1000) / Math.max(elapsedMs, WINDOW_MS);
    // A window ends with a step, so that a long step is not taken for a fast one.
    if (elapsedMs >= WINDOW_MS && taken !== this.lastTaken) {
      this.lastPerSecond = perSecond;
      this.windowAtMs = nowMs;
      this.windowSequence = taken;
      this.overrunFrom = null;
    }
    if (taken !== this.lastTaken) this.tookUpAtMs = nowMs;
    this.lastTaken = taken;
    return Math.max(perSecond, this.lastPerSecond);
  }
}
