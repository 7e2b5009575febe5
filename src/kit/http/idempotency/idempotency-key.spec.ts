import { describe, expect, it } from 'vitest';
import { fingerprintOf, parseIdempotencyKey } from './idempotency-key.js';

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

describe('fingerprintOf', () => {
  it('is the same whatever the order of fields, also inside', () => {
    const one = fingerprintOf('POST', '/orders', { a: 1, b: [{ c: 2, d: '3' }] });
    expect(fingerprintOf('POST', '/orders', { b: [{ d: '3', c: 2 }], a: 1 })).toBe(one);
    expect(one).toMatch(/^[0-9a-f]{64}$/);
  });

  it('differs by method, route, value, type and order of a list', () => {
    const prints = [
      fingerprintOf('POST', '/orders', { a: [1, 2] }),
      fingerprintOf('PATCH', '/orders', { a: [1, 2] }),
      fingerprintOf('POST', '/quotes', { a: [1, 2] }),
      fingerprintOf('POST', '/orders', { a: [2, 1] }),
      fingerprintOf('POST', '/orders', { a: [1, '2'] }),
      fingerprintOf('POST', '/orders', undefined),
    ];
    expect(new Set(prints).size).toBe(prints.length);
  });
});
