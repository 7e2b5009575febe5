import { Injectable, Logger, Optional } from '@nestjs/common';
import { MetricsRegistry } from '../../kit/metrics/metrics-registry.js';
import { monotonicMs } from '../clock/command-clock.js';
import { CommitTimes } from './commit-times.js';
import { FollowerPace } from './follower-pace.js';

/** The writer looks at its followers no more often than this, however small its batches are. */
const LOOK_EVERY_MS = 10;

/** Something that takes up commits a while after they are durable, such as tables that are derived from them. */
export interface Follower {
  /** In metrics and on the health page, such as `fills`. */
  readonly name: string;
  /** The age of the oldest commit that it has not taken up yet, on the monotonic clock; 0 where there is none. */
  lagMs(): number;
  /** False for one that tells its lag, but for which no order waits. */
  readonly holdsWriter?: false;
}

export interface FollowerLag {
  readonly name: string;
  readonly lagMs: number;
}

/** All that follow commits in this process. The writer takes no more than what every one of them can keep up with. */
@Injectable()
export class Followers {
  private readonly logger = new Logger(Followers.name);
  private readonly followers = new Map<Follower, FollowerPace>();
  private times = new CommitTimes();
  private lookedAtMs = -Infinity;
  private mustRest = false;

  constructor(@Optional() metrics?: MetricsRegistry) {
    metrics?.gauge({
      name: 'follower_lag_seconds',
      help: 'How long the oldest commit has waited for each follower; the writer rests before it is a second.',
      labels: ['follower'],
      collect: (gauge) => {
        gauge.reset();
        for (const { name, lagMs } of this.lags) gauge.set({ follower: name }, lagMs / 1000);
      },
    });
  }

  /** Returns the way to take it out again. */
  add(follower: Follower): () => void {
    this.followers.set(follower, new FollowerPace());
    return () => this.followers.delete(follower);
  }

  get lags(): readonly FollowerLag[] {
    return [...this.followers.keys()].map((follower) => ({ name: follower.name, lagMs: follower.lagMs() }));
  }

  /** The last sequence that was committed, as far as was looked; 0 where this process does not lead. */
  get sequence(): number {
    return this.times.sequence;
  }

  /**
   * The age of the first commit after a sequence, for a follower that knows its place; 0 where there is none. What was
   * committed before the term is as old as the term.
   */
  ageAfter(sequence: number): number {
    const atMs = this.times.firstAfter(sequence);
    return atMs === null ? 0 : monotonicMs() - atMs;
  }

  /** Whether a follower there works off what this term has committed, and nothing from before it. */
  isOfTerm(sequence: number): boolean {
    return this.times.isOfTerm(sequence);
  }

  /** The writer asks before each batch, with the last durable sequence: whether it has to rest, for one that is behind. */
  holdWriter(sequence: number): boolean {
    const nowMs = monotonicMs();
    this.times.note(sequence, nowMs);
    if (nowMs - this.lookedAtMs < LOOK_EVERY_MS) return this.mustRest;
    this.lookedAtMs = nowMs;
    this.mustRest = false;
    for (const [follower, pace] of this.followers) {
      if (follower.holdsWriter !== false && this.isOverrun(follower, pace, nowMs)) this.mustRest = true;
    }
    return this.mustRest;
  }

  /** The term is over. What its successor finds undone was not caused by orders that it takes. */
  forget(): void {
    this.times = new CommitTimes();
    this.lookedAtMs = -Infinity;
  }

  private isOverrun(follower: Follower, pace: FollowerPace, nowMs: number): boolean {
    const wasLeftBehind = pace.isLeftBehind;
    const lagMs = follower.lagMs();
    const isOverrun = pace.isOverrun(this.times, lagMs, nowMs);
    if (pace.isLeftBehind && !wasLeftBehind) {
      const msg = 'a follower of commits is stuck or works off a long past; orders do not wait for it';
      this.logger.error({ follower: follower.name, lagMs: Math.round(lagMs), msg });
    }
    return isOverrun;
  }
}
