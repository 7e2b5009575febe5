import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { PgArray, PG_TYPE } from './pg-array.js';
import type { ValueKind } from '../tables/values.js';

/** Text that PostgreSQL can hold: any Unicode but NUL and lone surrogates. */
const TEXT = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', ''));
const NUMERIC = fc.oneof(
  fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }),
  fc.constantFrom(
    0n,
    1n,
    -1n,
    9_999n,
    10_000n,
    10_001n,
    -10_000n,
    10n ** 37n,
    -(10n ** 37n),
    10n ** 38n - 1n,
  ),
  // Groups of zeros in the middle and at the end.
  fc.tuple(fc.nat(99), fc.nat(36)).map(([digits, zeros]) => BigInt(digits) * 10n ** BigInt(zeros) + 1n),
  fc.tuple(fc.nat(99_999), fc.nat(32)).map(([digits, zeros]) => -BigInt(digits) * 10n ** BigInt(zeros)),
);

describe('PgArray', () => {
  let database: TestDatabase;
  let client: pg.Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  /** The array as PostgreSQL parses it, as text. */
  const roundTrip = async <T>(
    kind: ValueKind,
    values: readonly T[],
    fill: (array: PgArray, value: T) => void,
  ) => {
    const array = new PgArray(kind, values.length);
    for (const value of values) fill(array, value);
    const { rows } = await client.query<{ value: string | null }>(
      `SELECT value::text FROM unnest($1::${PG_TYPE[kind]}[]) WITH ORDINALITY AS t(value, place) ORDER BY place`,
      [array.finish()],
    );
    return rows.map(({ value }) => value);
  };

  const agrees = <T>(
    kind: ValueKind,
    values: fc.Arbitrary<T>,
    fill: (array: PgArray, value: T) => void,
    textOf: (value: T) => string | null,
  ) =>
    fc.assert(
      fc.asyncProperty(fc.array(values, { maxLength: 50 }), async (sample) => {
        expect(await roundTrip(kind, sample, fill)).toEqual(sample.map(textOf));
      }),
      { numRuns: 60 },
    );
  const nullable = <T>(values: fc.Arbitrary<T>) => fc.option(values, { freq: 5, nil: null });
  const textOf = (value: string | number | bigint | null): string | null =>
    value === null ? null : `${value}`;

  it('carries safe integers', () =>
    agrees('integer', nullable(fc.maxSafeInteger()), (array, value) => array.integer(value), textOf));

  it('carries integers of 64 bits', () =>
    agrees(
      'bigint',
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      (array, value) => array.bigint(value),
      textOf,
    ));

  it('carries numerics of up to 38 digits', () =>
    agrees('numeric', nullable(NUMERIC), (array, value) => array.numeric(value), textOf));

  it('refuses a number of more digits', () => {
    expect(() => new PgArray('numeric', 1).numeric(2n ** 128n)).toThrow(RangeError);
  });

  it('carries text in any script', () =>
    agrees('text', nullable(TEXT), (array, value) => array.text(value), textOf));

  it('carries booleans', () =>
    agrees(
      'bool',
      fc.boolean(),
      (array, value) => array.bool(value),
      (value) => `${value}`,
    ));

  it('carries times to the millisecond', async () => {
    await client.query(`SET TIME ZONE 'UTC'`);
    const times = fc.date({ min: new Date('1970-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    await fc.assert(
      fc.asyncProperty(fc.array(nullable(times), { maxLength: 50 }), async (sample) => {
        const array = new PgArray('time', sample.length);
        for (const value of sample) array.time(value === null ? null : value.getTime());
        const { rows } = await client.query<{ ms: number | null }>(
          `SELECT (extract(epoch FROM value) * 1000)::float8 AS ms
           FROM unnest($1::timestamptz[]) WITH ORDINALITY AS t(value, place) ORDER BY place`,
          [array.finish()],
        );
        expect(rows.map(({ ms }) => ms)).toEqual(sample.map((value) => value?.getTime() ?? null));
      }),
      { numRuns: 30 },
    );
  });

  it('makes no rows of no values', async () => {
    expect(await roundTrip('text', [], () => undefined)).toEqual([]);
  });
});
