/**
 * What commits do to the tables, declared as data: the effects a batch can have, each with its table and its columns.
 * The journal's bytes, the projector's statements and the proof of the tables all follow from this.
 */
import type { Changes } from '../../domain/engine/changes.js';
import type { LedgerTransfer, MatchedBet, SetLeg, Trade } from '../../domain/engine/types.js';
import type { Balance, Market, Order, Position, Protection } from '../../domain/engine/state.js';
import {
  ACCOUNT_CHANGE_COLUMNS,
  type AccountChangeRow,
  BALANCE_COLUMNS,
  BOOK_COLUMNS,
  CARRIED_COLUMNS,
  KEY_COLUMNS,
  type KeyRow,
  MATCHED_BET_COLUMNS,
  ORDER_COLUMNS,
  ORDER_FIELDS_COLUMNS,
  ORDER_KEY,
  ORDER_PROGRESS,
  PLAIN_ORDER_COLUMNS,
  POSITION_COLUMNS,
  PROTECTION_COLUMNS,
  SET_LEG_COLUMNS,
  TRADE_COLUMNS,
  TRAILING_PROGRESS,
  LEDGER_TRANSFER_COLUMNS,
} from '../tables/core-tables.js';
import type { Column, StoredColumn, Value } from '../tables/values.js';

/** What one batch does to the tables. */
export interface EffectRows {
  readonly newOrders: readonly Order[];
  readonly newAdvancedOrders: readonly Order[];
  readonly changedOrders: readonly Order[];
  readonly changedTrailingStops: readonly Order[];
  readonly orderFields: readonly Order[];
  readonly trades: readonly Trade[];
  readonly matchedBets: readonly MatchedBet[];
  readonly setLegs: readonly SetLeg[];
  readonly transfers: readonly LedgerTransfer[];
  readonly balances: readonly Balance[];
  readonly positions: readonly Position[];
  readonly books: readonly Market[];
  readonly protections: readonly Protection[];
  readonly accountChanges: readonly AccountChangeRow[];
  readonly keys: readonly KeyRow[];
}

export function effectRowsOf(
  changes: Changes,
  keys: readonly KeyRow[],
  accountChanges: readonly AccountChangeRow[],
): EffectRows {
  return {
    newOrders: changes.orders.filter(({ stored, advanced }) => !stored && advanced === null),
    newAdvancedOrders: changes.orders.filter(({ stored, advanced }) => !stored && advanced !== null),
    changedOrders: changes.orders.filter(({ stored, isTrailing }) => stored && !isTrailing),
    changedTrailingStops: [
      ...changes.orders.filter(({ stored, isTrailing }) => stored && isTrailing),
      ...changes.onlyTrailed,
    ],
    orderFields: changes.fieldedOrders,
    trades: changes.trades,
    matchedBets: changes.matchedBets,
    setLegs: changes.setLegs,
    transfers: changes.transfers,
    balances: changes.balances,
    positions: changes.positions,
    books: changes.markets,
    protections: changes.protections,
    accountChanges,
    keys,
  };
}

/** `insert` and `append` add rows, `replace` adds or replaces, `change` changes rows that must be there. */
export type EffectKind = 'insert' | 'change' | 'append' | 'replace';

export interface Effect<T = unknown> {
  readonly kind: EffectKind;
  readonly table: string;
  readonly columns: readonly Column<T>[];
  /** Columns of the table that follow these, and are filled from other effects of the commit. */
  readonly furtherColumns?: readonly StoredColumn[];
  readonly rows: (effects: EffectRows) => readonly T[];
  /** How many columns, the first ones, tell a row from all others; 0 where no row ever comes again. */
  readonly keyLength: number;
}

/** The same for whatever the row is: a list of effects cannot know. */
function effect<T>(value: Effect<T>): Effect {
  return value as Effect;
}

const NEW_PLAIN_ORDERS = effect<Order>({
  kind: 'insert',
  table: 'orders',
  columns: PLAIN_ORDER_COLUMNS,
  rows: (effects) => effects.newOrders,
  keyLength: ORDER_KEY.length,
});

/** Apart from the others, whose rows keep the format that they had before such terms existed. */
const NEW_ADVANCED_ORDERS = effect<Order>({
  kind: 'insert',
  table: 'orders',
  columns: ORDER_COLUMNS,
  rows: (effects) => effects.newAdvancedOrders,
  keyLength: ORDER_KEY.length,
});

const SET_LEGS = effect<SetLeg>({
  kind: 'append',
  table: 'set_legs',
  columns: SET_LEG_COLUMNS,
  rows: (effects) => effects.setLegs,
  keyLength: 0,
});

/** Before the transfers, which may be carried by them. */
export const TRADES = effect<Trade>({
  kind: 'append',
  table: 'trades',
  columns: TRADE_COLUMNS,
  furtherColumns: CARRIED_COLUMNS,
  rows: (effects) => effects.trades,
  keyLength: 0,
});

export const TRANSFERS = effect<LedgerTransfer>({
  kind: 'append',
  table: 'transfers',
  columns: LEDGER_TRANSFER_COLUMNS,
  rows: (effects) => effects.transfers,
  keyLength: 0,
});

export const NEW_ORDERS: readonly Effect[] = [NEW_PLAIN_ORDERS, NEW_ADVANCED_ORDERS];

const CHANGED_PLAIN_ORDERS = effect<Order>({
  kind: 'change',
  table: 'orders',
  columns: [...ORDER_KEY, ...ORDER_PROGRESS],
  rows: (effects) => effects.changedOrders,
  keyLength: ORDER_KEY.length,
});

const CHANGED_TRAILING_STOPS = effect<Order>({
  kind: 'change',
  table: 'orders',
  columns: [...ORDER_KEY, ...ORDER_PROGRESS, ...TRAILING_PROGRESS],
  rows: (effects) => effects.changedTrailingStops,
  keyLength: ORDER_KEY.length,
});

/** Their columns are the first of those of new orders that they may change, so that a change can be merged into the new row. */
export const CHANGED_ORDERS: readonly Effect[] = [CHANGED_PLAIN_ORDERS, CHANGED_TRAILING_STOPS];

/** Before the orders that have them, so that who follows the journal knows an order's fields once it is told. */
export const ORDER_FIELDS = effect<Order>({
  kind: 'replace',
  table: 'order_fields',
  columns: ORDER_FIELDS_COLUMNS,
  rows: (effects) => effects.orderFields,
  keyLength: ORDER_KEY.length,
});

const PROTECTIONS = effect<Protection>({
  kind: 'replace',
  table: 'maker_protections',
  columns: PROTECTION_COLUMNS,
  rows: (effects) => effects.protections,
  keyLength: 1,
});

/**
 * By their numbers in the journal, which are a part of its format.
 */
export const EFFECTS: readonly Effect[] = [
  NEW_PLAIN_ORDERS,
  CHANGED_PLAIN_ORDERS,
  TRADES,
  effect<MatchedBet>({
    kind: 'append',
    table: 'matched_bets',
    columns: MATCHED_BET_COLUMNS,
    rows: (effects) => effects.matchedBets,
    keyLength: 0,
  }),
  TRANSFERS,
  effect<Balance>({
    kind: 'replace',
    table: 'balances',
    columns: BALANCE_COLUMNS,
    rows: (effects) => effects.balances,
    keyLength: 2,
  }),
  effect<Position>({
    kind: 'replace',
    table: 'positions',
    columns: POSITION_COLUMNS,
    rows: (effects) => effects.positions,
    keyLength: 2,
  }),
  effect<Market>({
    kind: 'replace',
    table: 'market_books',
    columns: BOOK_COLUMNS,
    rows: (effects) => effects.books,
    keyLength: 1,
  }),
  effect<AccountChangeRow>({
    kind: 'append',
    table: 'account_changes',
    columns: ACCOUNT_CHANGE_COLUMNS,
    rows: (effects) => effects.accountChanges,
    keyLength: 0,
  }),
  effect<KeyRow>({
    kind: 'replace',
    table: 'command_keys',
    columns: KEY_COLUMNS,
    rows: (effects) => effects.keys,
    keyLength: 2,
  }),
  NEW_ADVANCED_ORDERS,
  CHANGED_TRAILING_STOPS,
  PROTECTIONS,
  SET_LEGS,
  ORDER_FIELDS,
];

const KEPT_FIRST: readonly Effect[] = [
  ORDER_FIELDS,
  NEW_ADVANCED_ORDERS,
  CHANGED_TRAILING_STOPS,
  PROTECTIONS,
  SET_LEGS,
];

/**
 * In the order in which the journal keeps them. Those that a replay of the commands alone cannot give, since callers'
 * keys and the numbers of streams are no matter of the engine, come last.
 */
export const EFFECTS_AS_KEPT: readonly { readonly number: number; readonly effect: Effect }[] = [
  ...KEPT_FIRST,
  ...EFFECTS.filter((effect) => !KEPT_FIRST.includes(effect)),
].map((effect) => ({ number: EFFECTS.indexOf(effect) + 1, effect }));

/** The columns of its table that an effect fills. */
export function filledColumns({ columns, furtherColumns = [] }: Effect): readonly StoredColumn[] {
  return [...columns, ...furtherColumns];
}

/** The columns that are filled, by table, for what compares them with the tables. */
export const PROJECTED_COLUMNS: Readonly<Record<string, readonly StoredColumn[]>> = Object.fromEntries(
  EFFECTS.filter(({ kind }) => kind !== 'change').map((each) => [each.table, filledColumns(each)]),
);

/** What tells a row from all others of its effect. */
export function keyOf({ keyLength }: Effect, row: readonly Value[]): string {
  return keyLength === 1 ? String(row[0]) : `${row[0]}\n${row[1]}`;
}

export function countRows(effects: EffectRows): number {
  return EFFECTS.reduce((sum, { rows }) => sum + rows(effects).length, 0);
}
