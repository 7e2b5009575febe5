import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ValueReader, ValueWriter } from './value-encoding.js';
import { putValue, type Value, type ValueKind } from '../tables/values.js';

const BASE_MS = Date.UTC(2026, 10, 22);

/** Any value that the tables can hold, most of them like their neighbours. */
const VALUES: Readonly<Record<ValueKind, fc.Arbitrary<Value>>> = {
  integer: fc.oneof(fc.integer({ min: 0, max: 1_000 }), fc.maxSafeInteger(), fc.constant(null)),
  time: fc.oneof(
    fc.integer({ min: BASE_MS - 1_000, max: BASE_MS + 1_000 }),
    fc.maxSafeInteger(),
    fc.constant(null),
  ),
  bigint: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  numeric: fc.oneof(
    fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }),
    fc.bigInt({ min: -300n, max: 300n }),
    fc.constantFrom(2n ** 48n, 2n ** 53n, 2n ** 53n - 1n, 2n ** 64n, 2n ** 64n - 1n, 10n ** 38n - 1n, null),
  ),
  text: fc.oneof(
    fc.constantFrom('buy', 'sell', '', null),
    fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')),
  ),
  bool: fc.boolean(),
};
const KINDS = Object.keys(VALUES) as ValueKind[];

const COLUMN = fc
  .constantFrom(...KINDS)
  .chain((kind) => fc.array(VALUES[kind], { maxLength: 30 }).map((values) => ({ kind, values })));
type WrittenColumn = { readonly kind: ValueKind; readonly values: readonly Value[] };

function write(columns: readonly WrittenColumn[]): Buffer {
  const writer = new ValueWriter(BASE_MS, 1);
  for (const { kind, values } of columns) {
    writer.beginColumn(kind);
    for (const value of values) putValue(writer, kind, value);
  }
  return writer.finish();
}

function read(bytes: Buffer, columns: readonly WrittenColumn[]): Value[][] {
  const reader = new ValueReader(bytes, BASE_MS);
  const result = columns.map(({ kind, values }) => reader.column(kind, values.length));
  expect(reader.isAtEnd).toBe(true);
  return result;
}

describe('values as bytes', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(fc.array(COLUMN, { maxLength: 8 }), (columns) => {
        expect(read(write(columns), columns)).toEqual(columns.map(({ values }) => values));
      }),
      { numRuns: 500 },
    );
  });

  it('that were cut short are refused, and nothing is made up', () => {
    fc.assert(
      fc.property(fc.array(COLUMN, { minLength: 1, maxLength: 4 }), fc.nat(), (columns, cut) => {
        const bytes = write(columns);
        fc.pre(bytes.length > 0);
        expect(() => read(bytes.subarray(0, cut % bytes.length), columns)).toThrow(RangeError);
      }),
      { numRuns: 300 },
    );
  });

  it('take little room where neighbours are alike', () => {
    const size = (kind: ValueKind, values: Value[]) => write([{ kind, values }]).length;
    const thousand = Array.from({ length: 1_000 }, (_, index) => index);
    expect(
      size(
        'integer',
        thousand.map((index) => 9_000_000_000 + index),
      ),
    ).toBeLessThan(1_010);
    expect(
      size(
        'time',
        thousand.map(() => BASE_MS),
      ),
    ).toBe(1_000);
    expect(
      size(
        'text',
        thousand.map((index) => (index % 2 === 0 ? 'buy' : 'sell')),
      ),
    ).toBeLessThan(1_015);
  });

  it.each([
    ['integer', 2 ** 53],
    ['integer', 0.5],
    ['integer', NaN],
    ['numeric', 10n ** 38n],
    ['numeric', -(10n ** 38n)],
    ['bigint', 2n ** 63n],
    ['text', 'a\0b'],
  ] as const)('are refused where no column could hold them: %s %s', (kind, value) => {
    expect(() => write([{ kind, values: [value] }])).toThrow(RangeError);
  });

  it('that refer to what is not there are refused', () => {
    const reader = new ValueReader(Buffer.from([7]), BASE_MS);
    expect(() => reader.column('text', 1)).toThrow('a word that was not written');
  });
});
