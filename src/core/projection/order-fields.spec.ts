import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deposit,
  type Floor,
  limit,
  marketTerms,
  onClient,
  openFloor,
  queryOnce,
  SPOT,
  TestCore,
} from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import type { Command } from '../../domain/engine/commands.js';
import { Engine } from '../../domain/engine/engine.js';
import { changedFields, type FieldChanges, type FieldValues } from '../../domain/fields.js';
import { readJournal } from '../journal/journal-reader.js';
import { rebuildTables } from '../journal/rebuild.js';
import { decodeEffects, encodeEffects } from './effects.js';
import { countRows, effectRowsOf, ORDER_FIELDS } from './tables.js';

const TIME_MS = Date.UTC(2026, 10, 22);

const names = fc.stringMatching(/^acme_[a-z0-9_]{1,12}$/);
const values = fc.oneof(
  // What Postgres stores: any characters but NUL and halves of pairs.
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('\0', '')),
  fc.constantFrom('“\u{1f600}”', '\u202e\u0301', '\\u0000', '"\n', '-0.000000000000000001', '٣'),
  fc.maxSafeInteger(),
  fc.constantFrom(0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
  fc.boolean(),
);
const fields: fc.Arbitrary<FieldValues> = fc.dictionary(names, values, { minKeys: 1, maxKeys: 8 });
const changes: fc.Arbitrary<FieldChanges> = fc.dictionary(names, fc.option(values), {
  minKeys: 1,
  maxKeys: 8,
});

/** An engine in which ann may buy, and the bytes that the journal would keep of a batch. */
function engineWithAnn(): { readonly ann: number; apply(...commands: Command[]): Buffer } {
  const engine = new Engine();
  const apply = (...commands: Command[]): Buffer => {
    const changed = engine.beginBatch(TIME_MS);
    for (const command of commands) {
      const outcome = engine.apply(command);
      if (!outcome.ok) throw new Error(`${command.type} was refused: ${outcome.refusal.code}`);
    }
    const rows = effectRowsOf(changed, [], []);
    const bytes = encodeEffects(rows, countRows(rows), TIME_MS);
    for (const order of changed.orders) order.stored = true;
    return bytes;
  };
  engine.beginBatch(TIME_MS);
  const opened = engine.apply({ type: 'create_account', kind: 'trading', name: 'ann', owner: 'user:ann' });
  if (!opened.ok || opened.result.type !== 'account') throw new Error('no account was made');
  const ann = opened.result.accountId;
  apply(
    { type: 'create_asset', code: 'USD', scale: 2 },
    { type: 'create_asset', code: 'BTC', scale: 8 },
    marketTerms({ marketId: SPOT, kind: 'spot' }),
    deposit(ann, 'USD', '1000000'),
  );
  return { ann, apply };
}

const fieldsIn = (bytes: Buffer): FieldValues[] =>
  decodeEffects(bytes, TIME_MS)
    .filter(({ effect }) => effect === ORDER_FIELDS)
    .flatMap(({ rows }) => rows.map((row) => JSON.parse(row[2] as string) as FieldValues));

describe('fields of orders in the journal', () => {
  it('come back as they were given, and as amendments have changed them', () => {
    fc.assert(
      fc.property(fields, changes, (given, amended) => {
        const { ann, apply } = engineWithAnn();
        const placed = apply({ ...limit(ann, 'buy', 100, 4), fields: given });
        expect(fieldsIn(placed)).toEqual([given]);
        const orderId = decodeEffects(placed, TIME_MS).find(({ effect }) => effect === ORDER_FIELDS)!
          .rows[0]![1];
        const amend = {
          type: 'amend_order',
          accountId: ann,
          orderId: orderId as number,
          priceTicks: null,
          sizeLots: null,
        } as const;
        expect(fieldsIn(apply({ ...amend, fields: amended }))).toEqual([changedFields(given, amended)]);
        expect(fieldsIn(apply({ ...amend, sizeLots: 3 }))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('have the same bytes, in whatever order they were given', () => {
    fc.assert(
      fc.property(fields, (given) => {
        const turned = Object.fromEntries(Object.entries(given).toReversed());
        const bytesOf = (each: FieldValues): Buffer => {
          const { ann, apply } = engineWithAnn();
          return apply({ ...limit(ann, 'buy', 100, 4), fields: each });
        };
        expect(bytesOf(turned).equals(bytesOf(given))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('leave the bytes of orders without any as they were before there were fields', () => {
    const { ann, apply } = engineWithAnn();
    const bytes = apply(limit(ann, 'buy', 100, 4));
    // The version, and effect 1, a plain new order: as in journals of all versions.
    expect([...bytes.subarray(0, 3)]).toEqual([1, 1, 1]);
    expect(decodeEffects(bytes, TIME_MS).map(({ effect }) => effect.table)).not.toContain('order_fields');
    const { ann: other, apply: applyThere } = engineWithAnn();
    const fielded = applyThere({ ...limit(other, 'buy', 100, 4), fields: { acme_desk: 'fx' } });
    const [first, ...rest] = decodeEffects(fielded, TIME_MS);
    expect(first!.effect).toBe(ORDER_FIELDS);
    expect(rest).toEqual(decodeEffects(bytes, TIME_MS));
  });
});

describe('fields of orders in the core', () => {
  let database: TestDatabase;
  let core: TestCore;
  let floor: Floor;
  beforeAll(async () => {
    database = await createTestDatabase();
    core = await TestCore.start(database.url);
    floor = await openFloor(core);
  });
  afterAll(async () => {
    await core.stop();
    await database.drop();
  });

  it('outlast restarts and a loss of the tables, and lead to the same state hash and effects on replay', async () => {
    const given = { acme_desk: 'fx “1”', acme_rank: Number.MIN_SAFE_INTEGER, acme_hedge: false };
    const { order } = await core.place({ ...limit(floor.ann, 'buy', 100, 4), fields: given });
    expect(order.fields).toEqual(given);
    const amend = { type: 'amend_order', accountId: floor.ann, orderId: order.orderId } as const;
    const plain = await core.place(limit(floor.ann, 'buy', 99, 1));
    await core.run({
      ...amend,
      orderId: plain.order.orderId,
      priceTicks: null,
      sizeLots: null,
      fields: { acme_late: 1 },
    });
    for (let restart = 0; restart < 2; restart++) {
      await core.stop();
      core = await TestCore.start(database.url);
      const amended = await core.run({ ...amend, priceTicks: null, sizeLots: 3 - restart });
      expect(amended).toMatchObject({ type: 'order', order: { fields: given } });
    }
    const changed = await core.run({
      ...amend,
      priceTicks: 101,
      sizeLots: null,
      fields: { acme_desk: null, acme_new: 'x' },
    });
    const expected = { acme_hedge: false, acme_new: 'x', acme_rank: Number.MIN_SAFE_INTEGER };
    expect(changed).toMatchObject({ order: { fields: expected } });
    const stateHash = core.stateHash();
    expect(await core.verify()).toMatchObject({ ok: true, stateHash });
    await core.stop();
    const [last] = await queryOnce<{ fields: string }>(
      database.url,
      `SELECT fields FROM order_fields WHERE order_id = ${order.orderId}`,
    );
    expect(last!.fields).toBe(JSON.stringify(expected));
    expect(await onClient(database.url, (client) => rebuildTables(client))).toMatchObject({
      differences: [],
    });
    await queryOnce(database.url, 'DELETE FROM order_fields');
    expect(await onClient(database.url, (client) => rebuildTables(client, { repair: true }))).toMatchObject({
      differences: [{ table: 'order_fields', missing: 2 }],
      isRepaired: true,
    });
    const entries = await onClient(database.url, (client) => readJournal(client, 0, 1_000));
    expect(entries.some(({ commands }) => commands.includes('"acme_late":1'))).toBe(true);
    core = await TestCore.start(database.url);
    expect(core.stateHash()).toBe(stateHash);
  });

  it.each([
    ['NaN', { acme_x: NaN }, 'acme_x must be a whole number'],
    ['Infinity', { acme_x: Infinity }, 'acme_x must be a whole number'],
    ['2^53', { acme_x: 2 ** 53 }, 'acme_x must be a whole number'],
    ['NUL', { acme_x: 'a\0' }, 'cannot be stored'],
    ['half a pair', { acme_x: '\ud800' }, 'cannot be stored'],
    ['an object', { acme_x: { y: 1 } }, 'of the type object'],
    ['a list', ['x'], 'must be an object'],
    ['another name', { ["x' || 'y"]: 1 }, 'has the name'],
    ['too much', { acme_x: 'x'.repeat(70_000) }, 'characters'],
  ])('are refused where a plugin hands over %s, and the writer goes on', async (_what, given, reason) => {
    const order = { ...limit(floor.ann, 'buy', 100, 1), fields: given } as never;
    const { epoch } = core.sequencer.freshTerm();
    await expect(core.submit([order])).rejects.toThrow(reason);
    expect(core.sequencer.freshTerm().epoch).toBe(epoch);
    await core.place(limit(floor.ann, 'buy', 100, 1));
  });
});
