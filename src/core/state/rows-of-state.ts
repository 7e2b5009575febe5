/** The rows that make a state, as a checkpoint keeps them. */
import type { EngineState, Market } from '../../domain/engine/state.js';
import { BALANCE_COLUMNS, ORDER_COLUMNS, POSITION_COLUMNS } from '../tables/core-tables.js';
import { rowFrom } from '../tables/table-row.js';
import type {
  AccountRow,
  AssetRow,
  BalanceRow,
  HoldRow,
  LimitsRow,
  MarketRow,
  OrderRow,
  PositionRow,
  StateRows,
} from './state-rows.js';

/** The state's rows, part by part: enough to go on from, with every account loaded. */
export const rowsIn = {
  *assets(state: EngineState): Generator<AssetRow> {
    for (const { code, scale, createdAtMs } of state.assets.values())
      yield { code, scale, created_at: createdAtMs };
  },
  *markets(state: EngineState): Generator<MarketRow> {
    for (const market of state.markets.values()) yield marketRow(market);
  },
  *accounts(state: EngineState): Generator<AccountRow> {
    for (const { accountId, kind, name, owner, kycLevel, frozen, createdAtMs } of state.accounts.values()) {
      yield {
        account_id: `${accountId}`,
        kind,
        name,
        owner,
        kyc_level: kycLevel,
        frozen,
        created_at: createdAtMs,
      };
    }
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
    for (const { ownerKind, ownerId, accountId, asset, amount: held, createdAtMs } of state.holds.values()) {
      yield {
        owner_kind: ownerKind,
        owner_id: ownerId,
        account_id: `${accountId}`,
        asset,
        amount: `${held}`,
        created_at: createdAtMs,
      };
    }
  },
  *limits({ limits }: EngineState): Generator<LimitsRow> {
    yield { open_orders_max: limits.openOrdersMax, open_stops_max: limits.openStopsMax };
  },
  *orders(state: EngineState): Generator<OrderRow> {
    for (const order of state.orders.values()) yield rowFrom(ORDER_COLUMNS, order);
  },
};

/** All of them at once. */
export function rowsOf(state: EngineState): StateRows {
  return {
    sequence: state.sequence,
    timeMs: state.timeMs,
    assets: [...rowsIn.assets(state)],
    markets: [...rowsIn.markets(state)],
    accounts: [...rowsIn.accounts(state)],
    balances: [...rowsIn.balances(state)],
    positions: [...rowsIn.positions(state)],
    holds: [...rowsIn.holds(state)],
    limits: [...rowsIn.limits(state)],
    orders: [...rowsIn.orders(state)],
  };
}

const textOf = (value: number | bigint | null): string | null => (value === null ? null : `${value}`);

function marketRow(market: Market): MarketRow {
  const { definition } = market;
  return {
    market_id: definition.marketId,
    kind: definition.kind,
    title: definition.title,
    description: definition.description,
    category: definition.category,
    status: market.status,
    base_asset: definition.baseAsset,
    quote_asset: definition.quoteAsset,
    tick_size: `${definition.tickSize}`,
    lot_size: `${definition.lotSize}`,
    min_size_lots: `${definition.minSizeLots}`,
    max_size_lots: `${definition.maxSizeLots}`,
    min_notional: `${definition.minNotional}`,
    price_min_ticks: `${definition.priceMinTicks}`,
    price_max_ticks: `${definition.priceMaxTicks}`,
    maker_fee_rate: `${definition.makerFeeRate}`,
    taker_fee_rate: `${definition.takerFeeRate}`,
    fee_base: definition.feeBase,
    opens_at: definition.opensAtMs,
    closes_at: definition.closesAtMs,
    settlement_value: textOf(market.settlementValue),
    settled_at: market.settledAtMs,
    pool_account_id: textOf(market.poolAccountId),
    created_at: market.createdAtMs,
    book_sequence: `${market.bookSequence}`,
    last_price_ticks: textOf(market.lastPriceTicks),
    open_interest_lots: `${market.openInterestLots}`,
    pending_low_ticks: textOf(market.pendingTicks?.lowTicks ?? null),
    pending_high_ticks: textOf(market.pendingTicks?.highTicks ?? null),
    owed_short_lots: textOf(market.owedShortLots),
    changed_at: market.changedAtMs,
  };
}
