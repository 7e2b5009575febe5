import { describe, expect, it } from 'vitest';
import { parseIdempotencyKey } from './idempotency-key.js';

describe('parseIdempotencyKey', () => {
  it.each([
    [undefined, undefined],
    ['abc', 'abc'],
    [' 8e03978e-40d5-43e8-bc93-6894a57f9324 ', '8e03978e-40d5-43e8-bc93-6894a57f9324'],
    ['"abc"', 'abc'],
    ['"a\\"b\\\\c"', 'a"b\\c'],
    ['a"b', 'a"b'],
    ['x'.repeat(255), 'x'.repeat(255)],
  ])('reads %s', (header, key) => {
    expect(parseIdempotencyKey(header)).toBe(key);
  });

  it.each(['', ' ', '""', '"abc', '"a"b"', '"a\\b"', 'é', 'a\tb', 'x'.repeat(256)])(
    'refuses %s',
    (header) => {
      expect(() => parseIdempotencyKey(header)).toThrow(
        expect.objectContaining({ code: 'invalid_idempotency_key', status: 400 }),
      );
    },
  );
});
