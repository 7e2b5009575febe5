import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor, pageOf } from './pagination.js';

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('cursors', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.string({ unit: 'grapheme' }), (integer, text) => {
        fc.pre(!text.includes('\0'));
        expect(decodeCursor(encodeCursor([integer, text]), ['integer', 'text'])).toEqual([integer, text]);
      }),
    );
  });

  it('are optional', () => {
    expect(decodeCursor(undefined, ['integer'])).toBeUndefined();
  });

  it.each([
    '',
    'garbage',
    '%%%',
    encoded('x'),
    encoded(null),
    encoded([]),
    encoded(['1']),
    encoded([1, 2]),
    encoded([-1]),
    encoded([1.5]),
    encoded([2 ** 60]),
    `${encoded([1])}=`,
    `${encoded([1])}AAAA`,
  ])('are refused when they are not ours: %s', (cursor) => {
    expect(() => decodeCursor(cursor, ['integer'])).toThrow(
      expect.objectContaining({ code: 'invalid_cursor' }),
    );
  });

  it('cannot carry a NUL into a statement', () => {
    expect(() => decodeCursor(encoded(['a\0']), ['text'])).toThrow();
    expect(() => decodeCursor(encoded(['\ud800']), ['text'])).toThrow();
  });
});

describe('pageOf', () => {
  const page = (rows: number[], limit: number) =>
    pageOf(
      rows,
      limit,
      (row) => [row],
      (row) => `#${row}`,
    );

  it('has no next page when all rows fit', () => {
    expect(page([3, 2], 2)).toEqual({ data: ['#3', '#2'], next_cursor: null });
    expect(page([], 2)).toEqual({ data: [], next_cursor: null });
  });

  it('points at the last row it shows', () => {
    const { data, next_cursor } = page([3, 2, 1], 2);
    expect(data).toEqual(['#3', '#2']);
    expect(decodeCursor(next_cursor ?? undefined, ['integer'])).toEqual([2]);
  });
});
