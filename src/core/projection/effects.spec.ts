import { describe, expect, it } from 'vitest';
import { deposit, EVENT, limit, marketTerms, SPOT } from '../../../test/support/core.js';
import type { Command } from '../../domain/engine/commands.js';
import { Engine } from '../../domain/engine/engine.js';
import { decodeEffects, type EffectRow, EffectWindow, encodeEffects } from './effects.js';
import { CHANGED_ORDERS, countRows, type Effect, EFFECTS, NEW_ORDERS, effectRowsOf } from './tables.js';

const TIME_MS = Date.UTC(2026, 10, 22);
const effectOn = (table: string): Effect => EFFECTS.find((effect) => effect.table === table)!;
/** The value of a column in a row. */
const at = (effect: Effect, row: EffectRow, name: string) =>
  row[effect.columns.findIndex((column) => column.name === name)];

/** An engine whose batches become the bytes that the journal would keep. */
class Batches {
  private readonly engine = new Engine();

  /** Opens an account; its effects are in no table of the projector. */
  openAccount(name: string): number {
    this.engine.beginBatch(TIME_MS);
    const opened = this.engine.apply({
      type: 'create_account',
      kind: 'trading',
      name,
      owner: `user:${name}`,
    });
    if (!opened.ok || opened.result.type !== 'account') throw new Error('no account was made');
    return opened.result.accountId;
  }

  apply(...commands: Command[]): Buffer {
    const changes = this.engine.beginBatch(TIME_MS);
    for (const command of commands) {
      const outcome = this.engine.apply(command);
      if (!outcome.ok) throw new Error(`${command.type} was refused: ${outcome.refusal.code}`);
    }
    const rows = effectRowsOf(changes, [], []);
    const bytes = encodeEffects(rows, countRows(rows), TIME_MS);
    for (const order of changes.orders) order.stored = true;
    return bytes;
  }
}

describe('the effects of commits', () => {
  const open = (): { batches: Batches; ann: number; bob: number; opening: Buffer } => {
    const batches = new Batches();
    const [ann, bob] = [batches.openAccount('ann'), batches.openAccount('bob')];
    const opening = batches.apply(
      { type: 'create_asset', code: 'USD', scale: 2 },
      { type: 'create_asset', code: 'BTC', scale: 8 },
      marketTerms({ marketId: SPOT, kind: 'spot' }),
      marketTerms({ marketId: EVENT, kind: 'event' }),
      deposit(ann, 'USD', '1000'),
      deposit(bob, 'BTC', '10'),
    );
    return { batches, ann, bob, opening };
  };

  it('name their rows, and nothing else', () => {
    const { ann, opening } = open();
    const read = decodeEffects(opening, TIME_MS);
    expect(read.map(({ effect, rows }) => [effect.table, rows.length])).toEqual([
      ['transfers', 2],
      ['balances', 4],
      ['market_books', 2],
    ]);
    const balances = effectOn('balances');
    const row = read[1]!.rows.find((values) => at(balances, values, 'account_id') === ann)!;
    expect(at(balances, row, 'available')).toBe(1_000n * 10n ** 18n);
  });

  it('of an order that came, was filled and went are one new row', () => {
    const { batches, ann, bob, opening } = open();
    const window = new EffectWindow(0);
    window.add(opening, TIME_MS);
    window.add(batches.apply(limit(ann, 'buy', 100, 4)), TIME_MS);
    window.add(batches.apply(limit(bob, 'sell', 100, 1)), TIME_MS);
    window.add(batches.apply({ type: 'cancel_all_orders', accountId: ann, marketId: SPOT }), TIME_MS);
    for (const effect of CHANGED_ORDERS) expect(window.countOf(effect)).toBe(0);
    expect(window.countOf(NEW_ORDERS[0]!)).toBe(2);
    // Of ann, bob, the fees and the outside world, in two assets at most.
    expect(window.countOf(effectOn('balances'))).toBeLessThanOrEqual(8);
    expect(window.rowCount).toBe(EFFECTS.reduce((sum, effect) => sum + window.countOf(effect), 0));
  });

  it('of an order from before the window are one changed row, and every trade stays', () => {
    const { batches, ann, bob } = open();
    batches.apply(limit(ann, 'buy', 100, 4));
    const window = new EffectWindow(0);
    window.add(batches.apply(limit(bob, 'sell', 100, 1)), TIME_MS);
    window.add(batches.apply(limit(bob, 'sell', 100, 1)), TIME_MS);
    const [changed] = CHANGED_ORDERS;
    expect(window.countOf(changed!)).toBe(1);
    expect(window.countOf(effectOn('trades'))).toBe(2);
    expect(window.arraysOf(changed!)).toHaveLength(changed!.columns.length);
  });

  it('are refused where they are of another version, damaged, or more than themselves', () => {
    const { opening } = open();
    const other = Buffer.from(opening);
    other[0] = 99;
    const read = (bytes: Buffer) => () => decodeEffects(bytes, TIME_MS);
    expect(read(other)).toThrow('effects of version 99');
    expect(read(Buffer.concat([opening, Buffer.from([0])]))).toThrow('more than the effects');
    expect(read(opening.subarray(0, -1))).toThrow(RangeError);
    expect(read(Buffer.from([1, 99]))).toThrow('no effect 99');
  });

  it('begin a change of an order with the columns that a new order begins with', () => {
    const [plain, trailing] = CHANGED_ORDERS.map(({ columns }) => columns.map(({ name }) => name));
    const [newPlain, newAdvanced] = NEW_ORDERS.map(({ columns }) => columns.map(({ name }) => name));
    for (const names of [newPlain!, newAdvanced!]) expect(names.slice(0, plain!.length)).toEqual(plain);
    expect(newAdvanced!.slice(0, trailing!.length)).toEqual(trailing);
  });
});
