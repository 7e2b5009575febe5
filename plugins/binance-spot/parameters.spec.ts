import { describe, expect, it } from 'vitest';
import { Parameters } from './parameters.js';

describe('Parameters', () => {
  it('are those of query and form, of which the query counts', () => {
    const parameters = Parameters.of('symbol=BTCUSD&limit=5', 'symbol=ETHUSD&price=1.50');
    expect(parameters.symbol()).toBe('BTCUSD');
    expect(parameters.limit(10, 100)).toBe(5);
    expect(parameters.decimal('price')).toBe('1.50');
  });

  it.each([
    ['a=1&a=1', -1101],
    ['a=', -1105],
  ])('refuse %s', (query, code) => {
    expect(() => Parameters.of(query)).toThrow(expect.objectContaining({ code }));
  });

  it.each(['-1', '+1', '1e3', '.5', '1.', '0x10', ' 1', '1,5', '１'])('take no decimal %s', (text) => {
    const parameters = Parameters.of(new URLSearchParams({ price: text }).toString());
    expect(() => parameters.decimal('price')).toThrow(expect.objectContaining({ code: -1100 }));
  });

  it('are sorted by their names in messages', () => {
    expect(Parameters.ofMessage({ b: 2, a: 'x', c: true }).sorted()).toEqual([
      ['a', 'x'],
      ['b', '2'],
      ['c', 'true'],
    ]);
  });
});
