import { describe, expect, it } from 'vitest';
import { handleFor } from '../../../kit/turns/owner.js';
import { RoomQueue } from './room-queue.js';

const by = <Result>(name: string, work: () => Result): Result =>
  handleFor({ user: { accountOwner: name } }, work);

describe('RoomQueue', () => {
  it('lets the work of one room run in its order, and that of others beside it', async () => {
    const queue = new RoomQueue();
    const events: string[] = [];
    let finishFirst: () => void = () => undefined;
    const first = queue.take('1', async () => {
      events.push('first begins');
      await new Promise<void>((resolve) => (finishFirst = resolve));
      events.push('first ends');
    });
    const second = queue.take('1', async () => {
      events.push('second');
    });
    await queue.take('2', async () => {
      events.push('elsewhere');
    });
    finishFirst();
    await Promise.all([first, second]);
    expect(events).toEqual(['first begins', 'elsewhere', 'first ends', 'second']);
  });

  it('lets 400 changes of one person not hold the lobby for others', async () => {
    const queue = new RoomQueue();
    let done = 0;
    const change = async (): Promise<void> => {
      await new Promise(setImmediate);
      done++;
    };
    const all = Array.from({ length: 400 }, () => by('user:1', () => queue.take('lobby', change)));
    await by('user:2', () => queue.take('lobby', change));
    expect(done).toBe(3);
    await Promise.all(all);
  });

  it('goes on after work that fails', async () => {
    const queue = new RoomQueue();
    const failing = queue.take('1', () => Promise.reject(new Error('no')));
    const next = queue.take('1', () => Promise.resolve('yes'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });

  it('refuses what would wait behind a thousand others', async () => {
    const queue = new RoomQueue();
    let finish: () => void = () => undefined;
    const running = queue.take('1', () => new Promise<void>((resolve) => (finish = resolve)));
    const waiting = Array.from({ length: 1_000 }, (_, i) =>
      by(`user:${i % 4}`, () => queue.take('1', () => Promise.resolve())),
    );
    await expect(by('user:1', () => queue.take('1', () => Promise.resolve()))).rejects.toMatchObject({
      code: 'rate_limited',
    });
    await queue.take('2', () => Promise.resolve());
    finish();
    await Promise.all([running, ...waiting]);
    await queue.take('1', () => Promise.resolve());
  });
});
