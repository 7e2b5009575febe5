import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdPrefix } from './ids.js';

const ORDER_IDS = new IdPrefix('ord');
const TRADE_IDS = new IdPrefix('trd');

const sequences = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

describe('ids', () => {
  it('read as they were written', () => {
    fc.assert(
      fc.property(sequences, (sequence) => {
        expect(ORDER_IDS.parse(ORDER_IDS.format(sequence))).toBe(sequence);
      }),
    );
  });

  it('sort as text by their place in the sequence', () => {
    fc.assert(
      fc.property(sequences, sequences, (a, b) => {
        expect(TRADE_IDS.format(a) < TRADE_IDS.format(b)).toBe(a < b);
      }),
    );
  });

  it.each([
    ['ord_00000000001', 1],
    ['ord_0000000000Z', 31],
    ['ord_00000000010', 32],
    ['ord_7ZZZZZZZZZZ', Number.MAX_SAFE_INTEGER],
  ])('%s is %d', (text, sequence) => {
    expect(ORDER_IDS.parse(text)).toBe(sequence);
    expect(ORDER_IDS.format(sequence)).toBe(text);
  });

  it.each([
    '',
    'ord_',
    'ord_1',
    'trd_00000000001',
    'ord-00000000001',
    'ord_00000000000',
    'ord_0000000000z',
    'ord_0000000000U',
    'ord_000000000001',
    'ord_ 0000000001',
    'ord_ZZZZZZZZZZZ',
    'ord_80000000000',
    ' ord_00000000001',
  ])('%j was never given out', (text) => {
    expect(ORDER_IDS.parse(text)).toBeUndefined();
  });
});
