import { describe, expect, it } from 'vitest';
import { type Awaitable, onceKnown, someOf } from './awaitable.js';

describe('what may be known at once', () => {
  it('goes on at once where it is, and later where it is not', async () => {
    expect(onceKnown(1, (value) => value + 1)).toBe(2);
    const later = onceKnown(Promise.resolve(1), (value) => value + 1);
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toBe(2);
  });

  it('is asked of one after the other, up to the first for which it holds, wherever the answer comes from', async () => {
    for (const [answers, result, asked] of [
      [[], false, 0],
      [[false, false], false, 2],
      [[false, true, false], true, 2],
    ] as const) {
      for (const isKnown of [() => true, () => false, (place: number) => place === 1]) {
        let count = 0;
        const holds = (place: number): Awaitable<boolean> => {
          count++;
          return isKnown(place) ? answers[place]! : Promise.resolve(answers[place]!);
        };
        expect(await someOf([...answers.keys()], holds)).toBe(result);
        expect(count).toBe(asked);
      }
    }
  });
});
