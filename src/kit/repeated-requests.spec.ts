import { describe, expect, it } from 'vitest';
import { fingerprintOf } from './repeated-requests.js';

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
