import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Owner } from './owner.js';
import { TurnQueue } from './turn-queue.js';
import { TurnQueues } from './turn-queues.js';

const A: Owner = ['a'];
const B: Owner = ['b'];
const SERIAL = { runningMax: 1, ownerRunningMax: 1, waitingMax: 10, ownerWaitingMax: 5 };
const REFUSED = { code: 'rate_limited', retryAfterS: 1 };

/** Work that ends when it is told to. */
class Task {
  isRunning = false;
  private end: () => void = () => undefined;

  readonly work = (): Promise<void> => {
    this.isRunning = true;
    return new Promise((resolve) => {
      this.end = () => {
        this.isRunning = false;
        resolve();
      };
    });
  };

  finish(): void {
    this.end();
  }
}

const settled = (): Promise<void> => new Promise(setImmediate);

describe('TurnQueue', () => {
  it('never runs or keeps waiting more than its bounds, in all and of one owner, and runs all that it took', async () => {
    const bounds = fc.record({
      runningMax: fc.integer({ min: 1, max: 4 }),
      ownerRunningMax: fc.integer({ min: 1, max: 3 }),
      waitingMax: fc.integer({ min: 0, max: 8 }),
      ownerWaitingMax: fc.integer({ min: 0, max: 4 }),
    });
    const owners = fc.constantFrom<Owner>(['a'], ['b'], ['c'], ['n', 'n1'], ['n', 'n2']);
    const steps = fc.array(fc.oneof(owners, fc.nat({ max: 5 })), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(bounds, steps, async (limits, taken) => {
        const queue = new TurnQueue(limits);
        const tasks: { readonly task: Task; readonly owner: Owner; outcome: 'open' | 'done' | 'refused' }[] =
          [];
        const check = (): void => {
          const running = tasks.filter(({ task }) => task.isRunning);
          const waiting = tasks.filter(({ task, outcome }) => outcome === 'open' && !task.isRunning);
          expect(running.length).toBeLessThanOrEqual(limits.runningMax);
          expect(waiting.length).toBeLessThanOrEqual(limits.waitingMax);
          for (const { owner } of tasks) {
            expect(running.filter((each) => each.owner === owner).length).toBeLessThanOrEqual(
              limits.ownerRunningMax,
            );
            expect(waiting.filter((each) => each.owner === owner).length).toBeLessThanOrEqual(
              limits.ownerWaitingMax,
            );
          }
          // Nobody waits for a free place that it may have.
          if (running.length < limits.runningMax)
            for (const { owner } of waiting)
              expect(running.filter((each) => each.owner === owner)).toHaveLength(limits.ownerRunningMax);
        };
        for (const step of taken) {
          if (typeof step === 'number') tasks.filter(({ task }) => task.isRunning)[step]?.task.finish();
          else {
            const entry: (typeof tasks)[number] = { task: new Task(), owner: step, outcome: 'open' };
            tasks.push(entry);
            queue.take(step, entry.task.work).then(
              () => (entry.outcome = 'done'),
              () => (entry.outcome = 'refused'),
            );
          }
          await settled();
          check();
        }
        for (let left = tasks.length; left > 0; left--) {
          for (const { task } of tasks) if (task.isRunning) task.finish();
          await settled();
        }
        expect(tasks.filter(({ outcome }) => outcome === 'open')).toEqual([]);
        expect(queue.isIdle).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('takes turns between owners, and of one runs first what came first', async () => {
    const queue = new TurnQueue(SERIAL);
    const begun: string[] = [];
    const work = (name: string) => async (): Promise<void> => {
      begun.push(name);
      await settled();
    };
    await Promise.all([
      ...[1, 2, 3, 4].map((number) => queue.take(A, work(`a${number}`))),
      ...[1, 2].map((number) => queue.take(B, work(`b${number}`))),
    ]);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4']);
  });

  it('turns away who has too many, and takes them again later', async () => {
    const queue = new TurnQueue(SERIAL);
    const first = new Task();
    const all = Array.from({ length: 6 }, (_, i) =>
      queue.take(A, i === 0 ? first.work : () => Promise.resolve()),
    );
    await expect(queue.take(A, () => Promise.resolve())).rejects.toMatchObject(REFUSED);
    const others = queue.take(B, () => Promise.resolve('b'));
    first.finish();
    await Promise.all(all);
    expect(await others).toBe('b');
    expect(await queue.take(A, () => Promise.resolve('later'))).toBe('later');
  });

  it('takes the newcomer where others have filled it, and turns away the last of who has the most', async () => {
    const queue = new TurnQueue({ ...SERIAL, waitingMax: 5 });
    const first = new Task();
    const running = queue.take(A, first.work);
    const waiting = Array.from({ length: 5 }, () => queue.take(A, () => Promise.resolve('a')));
    const newcomer = queue.take(B, () => Promise.resolve('b'));
    await expect(waiting[4]).rejects.toMatchObject(REFUSED);
    first.finish();
    expect(await newcomer).toBe('b');
    expect(await Promise.all([running, ...waiting.slice(0, 4)])).toHaveLength(5);
  });

  it('passes the turn on where work fails', async () => {
    const queue = new TurnQueue(SERIAL);
    const failing = queue.take(A, () => Promise.reject(new Error('broken')));
    const next = queue.take(A, () => Promise.resolve('next'));
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('next');
    expect(queue.isIdle).toBe(true);
  });
});

describe('TurnQueues', () => {
  it('let one thing wait for nothing that is done to another', async () => {
    const queues = new TurnQueues(SERIAL);
    const first = new Task();
    const one = queues.take('1', A, first.work);
    const next = queues.take('1', A, () => Promise.resolve('next'));
    expect(await queues.take('2', A, () => Promise.resolve('beside'))).toBe('beside');
    first.finish();
    await one;
    expect(await next).toBe('next');
  });
});
