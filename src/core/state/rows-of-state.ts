/** The rows that make a state, as a checkpoint keeps them. */
import type { EngineState, Order } from '../../domain/engine/state.js';
import {
  BALANCE_COLUMNS,
  BOOK_COLUMNS,
  ORDER_COLUMNS,
  ORDER_FIELDS_COLUMNS,
  PLAIN_ORDER_COLUMNS,
  POSITION_COLUMNS,
  PROTECTION_COLUMNS,
} from '../tables/core-tables.js';
import {
  ACCOUNT_COLUMNS,
  ASSET_COLUMNS,
  EVENT_GROUP_COLUMNS,
  HOLD_COLUMNS,
  LIMITS_COLUMNS,
  MARKET_COLUMNS,
} from '../tables/reference-tables.js';
import { rowFrom } from '../tables/table-row.js';
import type {
  AccountRow,
  AssetRow,
  BalanceRow,
  GroupRow,
  HoldRow,
  LimitsRow,
  MarketRow,
  OrderFieldsRow,
  OrderRow,
  PositionRow,
  ProtectionRow,
  StateRows,
} from './state-rows.js';

const MARKET_AND_BOOK = [...MARKET_COLUMNS, ...BOOK_COLUMNS] as const;

/** The state's rows, part by part: enough to go on from, with every account loaded. */
export const rowsIn = {
  *assets(state: EngineState): Generator<AssetRow> {
    for (const asset of state.assets.values()) yield rowFrom(ASSET_COLUMNS, asset);
  },
  *markets(state: EngineState): Generator<MarketRow> {
    for (const market of state.markets.values()) yield rowFrom(MARKET_AND_BOOK, market);
  },
  *groups(state: EngineState): Generator<GroupRow> {
    for (const group of state.groups.values()) yield rowFrom(EVENT_GROUP_COLUMNS, group);
  },
  *accounts(state: EngineState): Generator<AccountRow> {
    for (const account of state.accounts.values()) yield rowFrom(ACCOUNT_COLUMNS, account);
  },
  *balances(state: EngineState): Generator<BalanceRow> {
    for (const { balances } of state.accounts.values()) {
      for (const balance of balances.values()) yield rowFrom(BALANCE_COLUMNS, balance);
    }
  },
  *positions(state: EngineState): Generator<PositionRow> {
    for (const { positions } of state.accounts.values()) {
      for (const position of positions.values()) yield rowFrom(POSITION_COLUMNS, position);
    }
  },
  *holds(state: EngineState): Generator<HoldRow> {
    for (const hold of state.holds.values()) yield rowFrom(HOLD_COLUMNS, hold);
  },
  *limits({ limits }: EngineState): Generator<LimitsRow> {
    yield rowFrom(LIMITS_COLUMNS, limits);
  },
  *protections({ protections }: EngineState): Generator<ProtectionRow> {
    for (const protection of protections.values()) yield rowFrom(PROTECTION_COLUMNS, protection);
  },
  *orders(state: EngineState): Generator<OrderRow> {
    for (const order of state.orders.values()) yield orderRow(order);
  },
  *orderFields(state: EngineState): Generator<OrderFieldsRow> {
    for (const order of state.orders.values())
      if (order.fields !== null) yield rowFrom(ORDER_FIELDS_COLUMNS, order);
  },
};

/** Readers take columns that are absent for null. */
function orderRow(order: Order): OrderRow {
  return order.advanced === null
    ? (rowFrom(PLAIN_ORDER_COLUMNS, order) as OrderRow)
    : rowFrom(ORDER_COLUMNS, order);
}

/** All of them at once. */
export function stateRowsOf(state: EngineState): StateRows {
  return {
    sequence: state.sequence,
    timeMs: state.timeMs,
    assets: [...rowsIn.assets(state)],
    markets: [...rowsIn.markets(state)],
    groups: [...rowsIn.groups(state)],
    accounts: [...rowsIn.accounts(state)],
    balances: [...rowsIn.balances(state)],
    positions: [...rowsIn.positions(state)],
    holds: [...rowsIn.holds(state)],
    limits: [...rowsIn.limits(state)],
    protections: [...rowsIn.protections(state)],
    orders: [...rowsIn.orders(state)],
    orderFields: [...rowsIn.orderFields(state)],
  };
}
