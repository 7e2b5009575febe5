import { describe, expect, it } from 'vitest';
import { parseUrlEncoded } from './url-encoded.js';

describe('parseUrlEncoded', () => {
  it('reads names and values', () => {
    expect(parseUrlEncoded('a=1&b=x+y%2Bz&c&d=&=e&%C3%A9=%E2%82%AC&f=1=2')).toEqual({
      a: '1',
      b: 'x y+z',
      c: '',
      d: '',
      '': 'e',
      é: '€',
      f: '1=2',
    });
  });

  it('gives repeated names as lists and leaves brackets alone', () => {
    expect(parseUrlEncoded('a=1&a=2&a=3&b[c]=4')).toEqual({ a: ['1', '2', '3'], 'b[c]': '4' });
  });

  it.each([
    'a=%FF',
    'a=%E0%A4%A',
    'a=%',
    'a=%ED%A0%80',
    'a=%00',
    '%00=a',
    '__proto__=a',
    'constructor=a',
    'prototype=a',
    `a${'&a'.repeat(300)}`,
  ])('refuses %s', (text) => {
    expect(() => parseUrlEncoded(text)).toThrow(expect.objectContaining({ code: 'malformed_request' }));
  });
});
