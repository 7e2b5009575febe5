import { describe, expect, it } from 'vitest';
import { ConcurrencyLimit } from './concurrency-limit.js';

describe('ConcurrencyLimit', () => {
  it('runs a bounded number at once, in the order in which they came', async () => {
    const limit = new ConcurrencyLimit(2, 10);
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
    const results = await Promise.all(Array.from({ length: 8 }, (_, i) => limit.take(work(i))));
    expect(results).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(begun).toEqual(results);
    expect(runningMax).toBe(2);
  });

  it('turns away who comes when too many wait, and takes others again later', async () => {
    const limit = new ConcurrencyLimit(1, 1);
    let finish = (): void => undefined;
    const first = limit.take(() => new Promise<void>((resolve) => (finish = resolve)));
    const second = limit.take(() => Promise.resolve('second'));
    await expect(limit.take(() => Promise.resolve())).rejects.toMatchObject({
      code: 'rate_limited',
      headers: { 'Retry-After': '1' },
    });
    finish();
    await first;
    expect(await second).toBe('second');
    expect(await limit.take(() => Promise.resolve('third'))).toBe('third');
  });

  it('passes the turn on where work fails', async () => {
    const limit = new ConcurrencyLimit(1, 5);
    const failing = limit.take(() => Promise.reject(new Error('broken')));
    const next = limit.take(() => Promise.resolve('next'));
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('next');
  });
});
