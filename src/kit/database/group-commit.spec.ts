import { describe, expect, it } from 'vitest';
import { handleFor } from '../turns/owner.js';
import { GroupCommit, type Commit, type GroupCommitOptions } from './group-commit.js';

const by = <Result>(name: string, work: () => Result): Result =>
  handleFor({ user: { accountOwner: name } }, work);

/** Commits numbers and returns their doubles; each commit waits for `release`. */
class HeldCommits {
  readonly batches: (readonly number[])[] = [];
  running = 0;
  private readonly releases: ((error?: Error) => void)[] = [];

  readonly commit: Commit<number, number> = async (take) => {
    expect(++this.running).toBe(1);
    const items = take();
    this.batches.push(items);
    try {
      await new Promise<void>((resolve, reject) =>
        this.releases.push((error) => {
          if (error === undefined) resolve();
          else reject(error);
        }),
      );
    } finally {
      this.running--;
    }
    return items.map((item) => (item < 0 ? new Error(`refused ${item}`) : 2 * item));
  };

  /** Ends the current commit and lets the next begin. */
  async release(error?: Error): Promise<void> {
    this.releases.shift()!(error);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function held(options: Partial<GroupCommitOptions> = {}): [GroupCommit<number, number>, HeldCommits] {
  const commits = new HeldCommits();
  return [new GroupCommit({ batchMax: 3, ...options }, commits.commit), commits];
}

describe('a group commit', () => {
  it('commits a single item at once, and what comes meanwhile together, in order and in batches', async () => {
    const [group, commits] = held();
    const results = [1, 2, 3, 4, 5].map((item) => group.add(item));
    expect(commits.batches).toEqual([[1]]);
    await commits.release();
    expect(commits.batches).toEqual([[1], [2, 3, 4]]);
    results.push(group.add(6));
    await commits.release();
    await commits.release();
    expect(commits.batches).toEqual([[1], [2, 3, 4], [5, 6]]);
    expect(await Promise.all(results)).toEqual([2, 4, 6, 8, 10, 12]);
  });

  it('lets 400 items of one person not hold a batch for others', async () => {
    const [group, commits] = held();
    const all = Array.from({ length: 400 }, (_, i) => by('user:1', () => group.add(i)));
    all.push(by('user:2', () => group.add(1_000)));
    await commits.release();
    expect(commits.batches).toEqual([[0], [1, 2, 1_000]]);
    while (commits.running > 0) await commits.release();
    expect(await Promise.all(all)).toHaveLength(401);
  });

  it('refuses where too many wait an item of whoever has the most', async () => {
    const [group, commits] = held({ waitingMax: 3, refuse: () => new Error('full') });
    const own = Array.from({ length: 5 }, (_, i) => by('user:1', () => group.add(i)));
    const other = by('user:2', () => group.add(1_000));
    const settled = Promise.allSettled(own);
    while (commits.running > 0) await commits.release();
    expect((await settled).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    expect(await other).toBe(2_000);
  });

  it('answers nobody before the commit', async () => {
    const [group, commits] = held();
    let isAnswered = false;
    const answered = group.add(1).then(() => (isAnswered = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isAnswered).toBe(false);
    await commits.release();
    await answered;
  });

  it('refuses an item alone', async () => {
    const [group, commits] = held();
    const results = Promise.allSettled([1, 2, -3, 4].map((item) => group.add(item)));
    await commits.release();
    await commits.release();
    expect(await results).toMatchObject([
      { value: 2 },
      { value: 4 },
      { reason: { message: 'refused -3' } },
      { value: 8 },
    ]);
  });

  it('rejects a whole batch that fails, and goes on with the next', async () => {
    const [group, commits] = held();
    const results = Promise.allSettled([1, 2, 3, 4, 5].map((item) => group.add(item)));
    await commits.release();
    await commits.release(new Error('the server is gone'));
    await commits.release();
    expect((await results).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
  });

  it('refuses what comes where too many wait', async () => {
    const [group, commits] = held({ waitingMax: 2, refuse: () => new Error('full') });
    // The first is being committed, so it does not count as waiting.
    const results = Promise.allSettled([1, 2, 3, 4].map((item) => group.add(item)));
    await commits.release();
    await commits.release();
    expect(await results).toMatchObject([
      { value: 2 },
      { value: 4 },
      { value: 6 },
      { reason: { message: 'full' } },
    ]);
  });

  it('takes the batch late, so that what came meanwhile goes with it, and only once', async () => {
    let letTake = (): void => undefined;
    const group = new GroupCommit<number, number>({ batchMax: 10 }, async (take) => {
      await new Promise<void>((resolve) => (letTake = resolve));
      expect(take()).toBeInstanceOf(Array);
      return take();
    });
    const results = [1, 2, 3].map((item) => group.add(item));
    letTake();
    expect(await Promise.all(results)).toEqual([1, 2, 3]);
  });

  it('rejects the first alone where the commit fails before it takes a batch', async () => {
    let turns = 0;
    const group = new GroupCommit<number, number>({ batchMax: 10 }, async (take) => {
      await Promise.resolve();
      if (++turns === 1) throw new Error('no turn');
      return take();
    });
    const results = await Promise.allSettled([1, 2, 3].map((item) => group.add(item)));
    expect(results).toMatchObject([{ reason: { message: 'no turn' } }, { value: 2 }, { value: 3 }]);
    expect(turns).toBe(2);
  });

  it.each([
    ['takes nothing', () => Promise.resolve([])],
    [
      'answers too few results',
      (take: () => readonly number[]) => {
        take();
        return Promise.resolve([]);
      },
    ],
  ])('rejects where a commit %s, and does not hang', async (_what, commit) => {
    const group = new GroupCommit<number, number>({ batchMax: 10 }, commit);
    await expect(group.add(1)).rejects.toThrow('has 0 results');
  });

  it('says when it is idle, each time', async () => {
    let idle = 0;
    const [group, commits] = held({ onIdle: () => idle++ });
    const first = Promise.all([group.add(1), group.add(2)]);
    await commits.release();
    expect(idle).toBe(0);
    await commits.release();
    await first;
    expect(idle).toBe(1);
    const second = group.add(3);
    await commits.release();
    await second;
    expect(idle).toBe(2);
  });
});
