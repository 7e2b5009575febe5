import { describe, expect, it } from 'vitest';
import { RoomTurns } from './room-turns.js';

describe('RoomTurns', () => {
  it('lets the work of one room run in its order, and that of others beside it', async () => {
    const turns = new RoomTurns();
    const events: string[] = [];
    let finishFirst: () => void = () => undefined;
    const first = turns.take('1', async () => {
      events.push('first begins');
      await new Promise<void>((resolve) => (finishFirst = resolve));
      events.push('first ends');
    });
    const second = turns.take('1', async () => {
      events.push('second');
    });
    await turns.take('2', async () => {
      events.push('elsewhere');
    });
    finishFirst();
    await Promise.all([first, second]);
    expect(events).toEqual(['first begins', 'elsewhere', 'first ends', 'second']);
  });

  it('goes on after work that fails', async () => {
    const turns = new RoomTurns();
    const failing = turns.take('1', () => Promise.reject(new Error('no')));
    const next = turns.take('1', () => Promise.resolve('yes'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });

  it('refuses what would wait behind a thousand others', async () => {
    const turns = new RoomTurns();
    let finish: () => void = () => undefined;
    const running = turns.take('1', () => new Promise<void>((resolve) => (finish = resolve)));
    const waiting = Array.from({ length: 1_000 }, () => turns.take('1', () => Promise.resolve()));
    await expect(turns.take('1', () => Promise.resolve())).rejects.toMatchObject({ code: 'rate_limited' });
    await turns.take('2', () => Promise.resolve());
    finish();
    await Promise.all([running, ...waiting]);
    await turns.take('1', () => Promise.resolve());
  });
});
