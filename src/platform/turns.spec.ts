import { describe, expect, it } from 'vitest';
import { Turns } from './turns.js';

describe('Turns', () => {
  it('runs a bounded number at once, in the order in which they came', async () => {
    const turns = new Turns(2, 10);
    const begun: number[] = [];
    let running = 0;
    let runningMax = 0;
    const work = (i: number) => async (): Promise<number> => {
      begun.push(i);
      runningMax = Math.max(runningMax, ++running);
      await new Promise(setImmediate);
      running--;
      return i;
    };
    const results = await Promise.all(Array.from({ length: 8 }, (_, i) => turns.take(work(i))));
    expect(results).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(begun).toEqual(results);
    expect(runningMax).toBe(2);
  });

  it('turns away who comes when too many wait, and takes others again later', async () => {
    const turns = new Turns(1, 1);
    let finish = (): void => undefined;
    const first = turns.take(() => new Promise<void>((resolve) => (finish = resolve)));
    const second = turns.take(() => Promise.resolve('second'));
    await expect(turns.take(() => Promise.resolve())).rejects.toMatchObject({
      code: 'rate_limited',
      headers: { 'Retry-After': '1' },
    });
    finish();
    await first;
    expect(await second).toBe('second');
    expect(await turns.take(() => Promise.resolve('third'))).toBe('third');
  });

  it('passes the turn on where work fails', async () => {
    const turns = new Turns(1, 5);
    const failing = turns.take(() => Promise.reject(new Error('broken')));
    const next = turns.take(() => Promise.resolve('next'));
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('next');
  });
});
