import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Follower, Followers } from './followers.js';

/** A batch takes the writer so long. */
const BATCH_MS = 10;

/** Takes up commits in the order in which they came, all that there is or so many at a time, at a pace of its own. */
class SlowFollower implements Follower {
  readonly name = 'slow';
  private waiting: { readonly atMs: number; readonly sequences: number }[] = [];
  private step: { readonly endsAtMs: number; readonly commits: SlowFollower['waiting'] } | null = null;
  private nextAtMs = 0;
  isStuck = false;
  taken = 0;
  lagsMs: number[] = [];

  constructor(
    readonly perSecond: number,
    readonly everyMs: number,
    readonly stepMax = Infinity,
  ) {}

  lagMs(): number {
    const oldest = this.step?.commits[0] ?? this.waiting[0];
    return oldest === undefined ? 0 : performance.now() - oldest.atMs;
  }

  add(sequences: number): void {
    this.waiting.push({ atMs: performance.now(), sequences });
  }

  private countOfStep(): number {
    let left = this.stepMax;
    const end = this.waiting.findIndex(({ sequences }) => (left -= sequences) < 0);
    return end === -1 ? this.waiting.length : Math.max(1, end);
  }

  work(): void {
    const nowMs = performance.now();
    if (this.isStuck) return;
    if (this.step !== null && nowMs >= this.step.endsAtMs) {
      this.lagsMs.push(this.lagMs());
      this.taken += sumOf(this.step.commits);
      this.step = null;
    }
    if (this.step !== null || nowMs < this.nextAtMs || this.waiting.length === 0) return;
    this.nextAtMs = nowMs + this.everyMs;
    const commits = this.waiting.splice(0, this.countOfStep());
    this.step = { commits, endsAtMs: nowMs + (sumOf(commits) * 1000) / this.perSecond };
  }
}

const sumOf = (commits: readonly { readonly sequences: number }[]): number =>
  commits.reduce((total, { sequences }) => total + sequences, 0);

/** A writer that commits so many sequences a second, but for when it has to rest. */
class Writer {
  sequence = 0;
  rests = 0;

  constructor(
    readonly followers: Followers,
    readonly follower: SlowFollower,
  ) {
    followers.add(follower);
  }

  /** Each millisecond the follower goes on; every few, the writer commits a batch. */
  run(seconds: number, perSecond: number): void {
    for (let ms = 0; ms < seconds * 1000; ms++) {
      vi.advanceTimersByTime(1);
      this.follower.work();
      if (ms % BATCH_MS !== 0) continue;
      if (this.followers.holdWriter(this.sequence)) this.rests++;
      else this.commit((perSecond * BATCH_MS) / 1000);
    }
  }

  commit(sequences: number): void {
    this.sequence += sequences;
    this.follower.add(sequences);
  }
}

describe('the writer', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const start = (...slow: ConstructorParameters<typeof SlowFollower>): Writer =>
    new Writer(new Followers(), new SlowFollower(...slow));

  it.each([
    [1.2, 50],
    [1.2, 200],
    [2, 50],
    [2, 200],
    [3, 50],
    [3, 200],
    [10, 50],
    [10, 200],
  ])(
    'that is %d times as fast as a follower goes at the pace of that, which is never a second behind',
    (times, everyMs) => {
      const writer = start(20_000, everyMs);
      const { follower } = writer;
      writer.run(1, 2_000);
      writer.run(10, times * 20_000);
      // A burst is over before its follower is measured: how long that works on it is up to the burst alone.
      expect(Math.max(...follower.lagsMs)).toBeLessThan(Math.max(1_000, times * 320));
      follower.lagsMs = [];
      const before = follower.taken;
      writer.run(20, times * 20_000);
      expect(Math.max(...follower.lagsMs)).toBeLessThan(1_000);
      expect(follower.taken - before).toBeGreaterThan(20 * 20_000 * 0.6);
      expect(writer.rests).toBeGreaterThan(0);
    },
  );

  it.each([50, 200])('never rests for a follower that keeps up, with a step every %d ms', (everyMs) => {
    const writer = start(100_000, everyMs);
    writer.run(5, 50_000);
    writer.run(5, 100);
    writer.run(5, 40_000);
    expect(writer.rests).toBe(0);
  });

  it('does not rest for the few orders that a follower has not taken up', () => {
    const writer = start(100_000, 50);
    writer.run(2, 1_000);
    writer.follower.isStuck = true;
    writer.run(0.9, 1_000);
    expect(writer.rests).toBe(0);
  });

  it('rests no longer for a follower that is stuck, and takes half as much while that comes up again', () => {
    const writer = start(100_000, 50, 10_000);
    const { follower } = writer;
    writer.run(2, 50_000);
    follower.isStuck = true;
    writer.run(4.9, 50_000);
    // It has got no more than it could take up in time.
    expect(writer.sequence).toBeLessThan(2.6 * 50_000);
    const stuckAt = writer.sequence;
    writer.run(10, 50_000);
    expect(writer.sequence - stuckAt).toBeGreaterThan(9 * 50_000);

    follower.isStuck = false;
    const { sequence } = writer;
    writer.run(20, 50_000);
    expect(follower.lagMs()).toBeLessThan(300);
    // Most of the time it was up to date again, and before it was never at rest for long.
    expect(writer.sequence - sequence).toBeGreaterThan(18 * 50_000);

    follower.isStuck = true;
    const { rests } = writer;
    writer.run(2, 50_000);
    expect(writer.rests).toBeGreaterThan(rests + 100);
  });

  it('does not rest for one that works off a long past', () => {
    const writer = start(60_000, 0, 6_000);
    const { follower } = writer;
    writer.run(2, 50_000);
    follower.isStuck = true;
    writer.run(45, 50_000);
    follower.isStuck = false;
    const { rests } = writer;
    writer.run(20, 50_000);
    expect(follower.lagMs()).toBeGreaterThan(30_000);
    expect(writer.rests).toBe(rests);
  });

  it('goes on at half the pace of a follower that began late, until that has come up', () => {
    const writer = start(20_000, 0, 4_000);
    const { follower } = writer;
    follower.isStuck = true;
    writer.run(3, 40_000);
    expect(writer.rests).toBe(0);
    follower.isStuck = false;
    const { sequence } = writer;
    writer.run(10, 40_000);
    expect(writer.sequence - sequence).toBeGreaterThan(10 * 20_000 * 0.4);
    writer.run(5, 40_000);
    follower.lagsMs = [];
    writer.run(10, 40_000);
    expect(Math.max(...follower.lagsMs)).toBeLessThan(1_000);
  });

  it('does not rest for what was left by an earlier term', () => {
    const writer = start(100_000, 50, 10_000);
    writer.commit(2_000_000);
    writer.run(10, 30_000);
    expect(writer.rests).toBe(0);
    expect(writer.follower.lagMs()).toBeGreaterThan(1_000);
    const { sequence } = writer;
    writer.run(50, 30_000);
    expect(writer.sequence - sequence).toBeGreaterThan(50 * 30_000 * 0.75);
    expect(writer.follower.lagMs()).toBeLessThan(300);
    let { rests } = writer;
    writer.run(5, 300_000);
    expect(writer.rests).toBeGreaterThan(rests);
    ({ rests } = writer);

    writer.followers.forget();
    writer.run(0.1, 300_000);
    expect(writer.rests).toBe(rests);
  });

  it('rests for no follower that is taken out or asks for no rest', () => {
    const followers = new Followers();
    const one = { lagMs: 0 };
    const other = { lagMs: 0 };
    const takeOut = followers.add({ name: 'one', lagMs: () => one.lagMs });
    followers.add({ name: 'other', lagMs: () => other.lagMs, holdsWriter: false });
    const look = (sequence: number): boolean => {
      vi.advanceTimersByTime(100);
      return followers.holdWriter(sequence);
    };
    expect(look(1)).toBe(false);
    expect(look(2)).toBe(false);
    for (let sequence = 0; sequence < 10_000; sequence += 1_000) look(sequence + 10);
    for (const follower of [one, other]) follower.lagMs = 900;
    expect(followers.lags).toEqual(['one', 'other'].map((name) => ({ name, lagMs: 900 })));
    expect(look(20_000)).toBe(false);
    expect(look(21_000)).toBe(true);
    takeOut();
    expect(look(21_000)).toBe(false);
    expect(followers.lags.map(({ name }) => name)).toEqual(['other']);
  });

  it('tells a follower that knows its place how old the next commit is', () => {
    const followers = new Followers();
    expect(followers.ageAfter(0)).toBe(0);
    for (const sequence of [100, 120, 130]) {
      followers.holdWriter(sequence);
      vi.advanceTimersByTime(20);
    }
    expect(followers.sequence).toBe(130);
    expect([0, 99, 100, 119, 120, 129, 130].map((at) => followers.ageAfter(at))).toEqual([
      60, 60, 40, 40, 20, 20, 0,
    ]);
  });
});
