/** The effects of commits: as bytes, as the journal keeps them, and gathered for a window of the projector. */
import { invariant } from '../../domain/invariant.js';
import { carryTransfers } from './carried-transfers.js';
import {
  CHANGED_ORDERS,
  EFFECTS,
  EFFECTS_AS_KEPT,
  type Effect,
  type EffectRows,
  filledColumns,
  keyOf,
  NEW_ORDERS,
  TRADES,
  TRANSFERS,
} from './tables.js';
import { PgArray } from './pg-array.js';
import { ValueReader, ValueWriter } from './value-encoding.js';
import type { Value } from '../tables/values.js';

/** The first byte of all effects. A reader of another version refuses them. */
const EFFECTS_VERSION = 1;
/** After the last effect; the first one of the list is 1. */
const END = 0;
const BYTES_PER_ROW = 32;

/** A row of one effect, its values in the order of its columns. */
export type EffectRow = Value[];

/**
 * The effects of one commit. `timeMs` is the time of the commit, which the reader needs, too.
 * @throws RangeError where a value fits no column
 */
export function encodeEffects(effects: EffectRows, rowCount: number, timeMs: number): Buffer {
  const writer = new ValueWriter(timeMs, 64 + rowCount * BYTES_PER_ROW);
  writer.count(EFFECTS_VERSION);
  let written = 0;
  for (const { number, effect } of EFFECTS_AS_KEPT) {
    const { rows: read, columns } = effect;
    const rows = read(effects);
    if (rows.length === 0) continue;
    writer.count(number);
    writer.count(rows.length);
    written += rows.length;
    for (const { kind, fill } of columns) {
      writer.beginColumn(kind);
      for (const row of rows) fill(writer, row);
    }
  }
  writer.count(END);
  invariant(written === rowCount, 'all rows of a commit are packed', written, rowCount);
  return writer.finish();
}

/**
 * Hands over each effect with its rows still to be read: `take` reads all columns of all rows, in their order.
 * @throws RangeError where these are not the bytes of effects
 */
function readEffects(
  bytes: Buffer,
  timeMs: number,
  take: (effect: Effect, rows: number, reader: ValueReader) => void,
): void {
  const reader = new ValueReader(bytes, timeMs);
  const version = reader.count();
  if (version !== EFFECTS_VERSION) throw new RangeError(`effects of version ${version} are not known here`);
  for (let number = reader.count(); number !== END; number = reader.count()) {
    const effect = EFFECTS[number - 1];
    if (effect === undefined) throw new RangeError(`there is no effect ${number}`);
    take(effect, reader.count(), reader);
  }
  if (!reader.isAtEnd) throw new RangeError('there is more than the effects');
}

function readRows({ columns }: Effect, count: number, reader: ValueReader): EffectRow[] {
  const values = columns.map(({ kind }) => reader.column(kind, count));
  const rows: EffectRow[] = [];
  // Made whole at once: an array that grows value by value takes up several times its size.
  for (let row = 0; row < count; row++) rows.push(values.map((column) => column[row]!));
  return rows;
}

/** The effects of one commit, row by row. */
export function decodeEffects(
  bytes: Buffer,
  timeMs: number,
): { readonly effect: Effect; readonly rows: readonly EffectRow[] }[] {
  const effects: { effect: Effect; rows: EffectRow[] }[] = [];
  readEffects(bytes, timeMs, (effect, count, reader) => {
    effects.push({ effect, rows: readRows(effect, count, reader) });
  });
  return effects;
}

/** Rows of one effect, column by column. */
export interface EffectColumns {
  readonly effect: Effect;
  readonly count: number;
  /** In the order of the effect's columns. */
  readonly columns: readonly (readonly Value[])[];
}

/** The effects of one commit, column by column as they are kept. */
export function decodeColumns(bytes: Buffer, timeMs: number): EffectColumns[] {
  const effects: EffectColumns[] = [];
  readEffects(bytes, timeMs, (effect, count, reader) => {
    effects.push({ effect, count, columns: effect.columns.map(({ kind }) => reader.column(kind, count)) });
  });
  return effects;
}

/** Rows of one effect on their way to PostgreSQL. */
interface GatheredRows {
  readonly count: number;
  /** One array a column. */
  finish(): Buffer[];
}

/** Rows that never come again go straight from the journal's columns into those of PostgreSQL. */
class AppendedRows implements GatheredRows {
  count = 0;
  private readonly arrays: readonly PgArray[];

  constructor(
    private readonly effect: Effect,
    expected: number,
  ) {
    this.arrays = filledColumns(effect).map(({ kind }) => new PgArray(kind, expected));
  }

  put(rows: readonly EffectRow[]): void {
    this.arrays.forEach((array, column) => {
      for (const row of rows) array.add(row[column]!);
    });
    this.count += rows.length;
  }

  read(count: number, reader: ValueReader): void {
    this.effect.columns.forEach(({ kind }, column) => {
      const array = this.arrays[column]!;
      reader.beginColumn(kind);
      for (let row = 0; row < count; row++) array.add(reader.value(kind));
    });
    this.count += count;
  }

  /** Where one column had more than the others, values would come into other rows. */
  check(): void {
    for (const { size } of this.arrays)
      invariant(size === this.count, 'all columns have as many values as there are rows', size, this.count);
  }

  finish(): Buffer[] {
    return this.arrays.map((array) => array.finish());
  }
}

/** Rows that may come again, as they were left. */
class KeyedRows implements GatheredRows {
  readonly rows: EffectRow[] = [];
  private readonly byKey = new Map<string, EffectRow>();

  constructor(private readonly effect: Effect) {}

  get count(): number {
    return this.rows.length;
  }

  /** Whether the row was there, and has become what the change says; its other columns stay. */
  change(key: string, change: EffectRow): boolean {
    const row = this.byKey.get(key);
    if (row === undefined) return false;
    for (let index = this.effect.keyLength; index < change.length; index++) row[index] = change[index]!;
    return true;
  }

  put(key: string, row: EffectRow): void {
    if (this.change(key, row)) return;
    this.byKey.set(key, row);
    this.rows.push(row);
  }

  finish(): Buffer[] {
    return this.effect.columns.map(({ kind }, column) => {
      const array = new PgArray(kind, this.rows.length);
      for (const row of this.rows) array.add(row[column]!);
      return array.finish();
    });
  }
}

/**
 * The combined effect of consecutive commits on the tables, each row once: rows that changed several times have their
 * last state, and an order that was created and changed is one new row.
 */
export class EffectWindow {
  private readonly gathered = new Map<Effect, GatheredRows>();
  private readonly keyed = new Map<Effect, KeyedRows>();
  private readonly appended = new Map<Effect, AppendedRows>();

  /** Trades after the sequence `carriedAfter` carry their transfers. */
  constructor(private readonly carriedAfter: number) {}

  add(bytes: Buffer, timeMs: number): void {
    let trades: EffectRow[] = [];
    let transfers: EffectRow[] = [];
    readEffects(bytes, timeMs, (effect, count, reader) => {
      if (effect === TRADES) trades = readRows(effect, count, reader);
      else if (effect === TRANSFERS) transfers = readRows(effect, count, reader);
      else if (effect.keyLength === 0) this.appendedOf(effect, count).read(count, reader);
      else for (const row of readRows(effect, count, reader)) this.put(effect, row);
    });
    const kept = carryTransfers(trades, transfers, this.carriedAfter);
    if (trades.length > 0) this.appendedOf(TRADES, trades.length).put(trades);
    if (kept.length > 0) this.appendedOf(TRANSFERS, kept.length).put(kept);
    for (const rows of this.appended.values()) rows.check();
  }

  /** Rows that are to be written. */
  get rowCount(): number {
    let count = 0;
    for (const rows of this.gathered.values()) count += rows.count;
    return count;
  }

  countOf(effect: Effect): number {
    return this.gathered.get(effect)?.count ?? 0;
  }

  /** The rows of an effect, one array for each column; called once, when the window is complete. */
  arraysOf(effect: Effect): Buffer[] {
    return this.gathered.get(effect)?.finish() ?? [];
  }

  private put(effect: Effect, row: EffectRow): void {
    const key = keyOf(effect, row);
    const isOfNewOrder = (): boolean =>
      NEW_ORDERS.some((made) => this.keyed.get(made)?.change(key, row) === true);
    if (CHANGED_ORDERS.includes(effect) && isOfNewOrder()) return;
    let rows = this.keyed.get(effect);
    if (rows === undefined) {
      rows = new KeyedRows(effect);
      this.keyed.set(effect, rows);
      this.gathered.set(effect, rows);
    }
    rows.put(key, row);
  }

  private appendedOf(effect: Effect, expected: number): AppendedRows {
    let rows = this.appended.get(effect);
    if (rows === undefined) {
      rows = new AppendedRows(effect, expected);
      this.appended.set(effect, rows);
      this.gathered.set(effect, rows);
    }
    return rows;
  }
}
