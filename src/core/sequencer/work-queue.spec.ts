import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Command } from '../../domain/engine/commands.js';
import type { CoreAnswer } from '../requests/requests.js';
import type { Owner } from '../../kit/turns/owner.js';
import type { Work } from '../requests/work.js';
import { OWNER_SHARE } from '../requests/command-counts.js';
import {
  CANCELLATIONS_MAX,
  COMMANDS_PER_BATCH_MAX,
  QUEUE_MAX,
  type Waiting,
  WorkQueue,
} from './work-queue.js';

const OWNER_QUEUE_MAX = QUEUE_MAX * OWNER_SHARE;

const HOSTILE: Owner = ['user:1'];
const OTHER: Owner = ['user:2'];
const SERVICE: Owner = ['service'];

const workOf = (commands: number): Work => ({
  kind: 'request',
  request: { commands: Array.from({ length: commands }, () => ({}) as never) },
});

function add(queue: WorkQueue, owner: Owner, commands = 1): Promise<unknown> {
  return queue.add(workOf(commands), owner, () => undefined);
}

const requestOf = (...types: Command['type'][]): Work => ({
  kind: 'request',
  request: { commands: types.map((type) => ({ type }) as Command) },
});

const settle = (batch: readonly Waiting[]): void => {
  for (const { resolve } of batch) resolve({} as CoreAnswer);
};

describe('WorkQueue', () => {
  it('lets a lone order go with the next batch, however many commands another owner has waiting', () => {
    const queue = new WorkQueue();
    for (let i = 0; i < 50; i++) void add(queue, HOSTILE, 100);
    void add(queue, OTHER);
    const batch = queue.takeBatch();
    expect(batch.map(({ owner }) => owner)).toContain(OTHER);
    expect(batch.length).toBe(10);
  });

  it('refuses what one owner has beyond its part, and takes what others send', async () => {
    const queue = new WorkQueue();
    for (let i = 0; i < OWNER_QUEUE_MAX / 100; i++) void add(queue, HOSTILE, 100);
    await expect(add(queue, HOSTILE)).rejects.toMatchObject({ code: 'too_many_in_flight', retryAfterS: 1 });
    const other = add(queue, OTHER);
    for (let i = 0; i < (QUEUE_MAX - OWNER_QUEUE_MAX) / 100 - 1; i++) void add(queue, SERVICE, 100);
    while (!queue.isEmpty) settle(queue.takeBatch());
    await other;
    await new Promise(setImmediate);
    expect(queue.depth).toBe(0);
    void add(queue, HOSTILE);
  });

  it('lets cancellations pass by all else, but one of all orders not by what its owner sent before', () => {
    const queue = new WorkQueue();
    const cancel = requestOf('cancel_order', 'cancel_order_list');
    const cancelAll = requestOf('cancel_all_orders');
    const place = requestOf('place_order');
    const sent: readonly [Owner, Work][] = [
      [OTHER, cancelAll],
      [HOSTILE, place],
      [HOSTILE, cancel],
      [HOSTILE, cancelAll],
      [OTHER, requestOf('cancel_order', 'place_order')],
      [OTHER, requestOf('amend_order')],
      [OTHER, requestOf('cancel_order')],
      [SERVICE, cancelAll],
      [OTHER, cancelAll],
    ];
    for (const [owner, work] of sent) void queue.add(work, owner, () => undefined);
    const numbers = (batch: readonly Waiting[]): number[] => batch.map(({ number }) => number);
    expect(numbers(queue.takeCancellations())).toEqual([1, 3, 7, 8]);
    expect(queue.takeCancellations()).toEqual([]);
    expect(numbers(queue.takeBatch())).toEqual([2, 4, 5, 6, 9]);

    for (let i = 0; i <= COMMANDS_PER_BATCH_MAX; i++)
      void queue.add(requestOf('cancel_order'), OTHER, () => undefined);
    expect(queue.takeCancellations().length).toBe(COMMANDS_PER_BATCH_MAX);
    expect(queue.takeCancellations().length).toBe(1);
  });

  it('has room for cancellations where it has none for anything else', async () => {
    const queue = new WorkQueue();
    const cancel = () => queue.add(requestOf('cancel_order'), OTHER, () => undefined);
    for (let i = 0; i < QUEUE_MAX; i++) void add(queue, SERVICE);
    const refusal = { code: 'temporarily_unavailable', retryAfterS: 1 };
    await expect(add(queue, OTHER)).rejects.toMatchObject(refusal);
    for (let i = 0; i < CANCELLATIONS_MAX; i++) void cancel();
    await expect(cancel()).rejects.toMatchObject(refusal);
    expect(queue.takeCancellations().length).toBe(CANCELLATIONS_MAX);
    expect(queue.depth).toBe(QUEUE_MAX + CANCELLATIONS_MAX);
  });

  it('takes turns where a batch cannot take all, passes nobody over twice, and keeps the order of each owner', () => {
    const requests = fc.array(
      fc.record({ owner: fc.nat({ max: 6 }), commands: fc.integer({ min: 1, max: 400 }) }),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(requests, fc.array(fc.boolean()), (sent, failures) => {
        const queue = new WorkQueue();
        for (const { owner, commands } of sent)
          void add(queue, [`user:${owner}`], commands).catch(() => undefined);
        const done = new Map<string, number>();
        const passedOver = new Map<string, number>();
        const waiting = sent.length;
        let count = 0;
        for (let turn = 0; !queue.isEmpty; turn++) {
          const batch = queue.takeBatch();
          expect(batch.length).toBeGreaterThan(0);
          const commands = batch.reduce(
            (sum, { work }) => sum + (work as Extract<Work, { kind: 'request' }>).request.commands.length,
            0,
          );
          if (batch.length > 1) expect(commands).toBeLessThanOrEqual(COMMANDS_PER_BATCH_MAX);
          if (failures[turn] === true) {
            queue.putBack(batch);
            failures[turn] = false;
            continue;
          }
          for (const { owner, number } of batch) {
            expect(number).toBeGreaterThan(done.get(owner[0]) ?? 0);
            done.set(owner[0], number);
          }
          const served = new Set(batch.map(({ owner }) => owner[0]));
          for (const name of new Set(sent.map(({ owner }) => `user:${owner}`)))
            passedOver.set(name, served.has(name) ? 0 : (passedOver.get(name) ?? 0) + 1);
          count += batch.length;
        }
        expect(count).toBe(waiting);
      }),
    );
  });

  it('puts a batch back to where it was, so that no owner is overtaken by itself', () => {
    const queue = new WorkQueue();
    for (let i = 0; i < 30; i++) void add(queue, i % 3 === 0 ? OTHER : HOSTILE, 100);
    const [one, two] = [queue.takeBatch(), queue.takeBatch()];
    queue.putBack(two);
    queue.requeue(one, false);
    const numbers: number[] = [];
    while (!queue.isEmpty) {
      const batch = queue.takeBatch();
      for (const owner of [HOSTILE, OTHER]) {
        const own = batch.filter((each) => each.owner === owner).map(({ number }) => number);
        expect(own).toEqual([...own].sort((a, b) => a - b));
      }
      numbers.push(...batch.map(({ number }) => number));
    }
    expect(numbers.length).toBe(30);
    expect(new Set(numbers).size).toBe(30);
  });
});
