import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, type Json } from './canonical-json.js';

const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false),
    fc.maxSafeInteger(),
    fc.string({ unit: 'grapheme' }),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.string({ unit: 'binary' }), tie('json'), { maxKeys: 5, noNullPrototype: true }),
  ),
}));

/** The same value with its members in another order. */
function reversed(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return (value as Json[]).map(reversed);
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, reversed(member!)])
      .reverse(),
  );
}

/** What RFC 8785 says, without regard to speed. */
function plainly(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${(value as Json[]).map(plainly).join(',')}]`;
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${plainly((value as Record<string, Json>)[name]!)}`).join(',')}}`;
}

describe('canonical JSON', () => {
  it('is one text, in whatever order members come', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(value)).toBe(plainly(value));
        expect(canonicalJson(reversed(value))).toBe(plainly(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
      }),
    );
  });

  it('sorts names by their code units, numbers too, and leaves out what is undefined', () => {
    expect(canonicalJson({ b: 1, a: undefined, é: 2, Z: 3, 10: 4, 9: 5 })).toBe(
      '{"10":4,"9":5,"Z":3,"b":1,"é":2}',
    );
    expect(canonicalJson({ a: undefined })).toBe('{}');
    expect(canonicalJson([-0, 0])).toBe('[0,0]');
  });

  it('refuses numbers that not everybody reads alike, wherever they stand', () => {
    for (const number of [0.5, NaN, Infinity, 2 ** 53])
      for (const value of [number, [number], { a: number }, { b: 1, a: [{ c: number }] }])
        expect(() => canonicalJson(value)).toThrow(RangeError);
  });
});
