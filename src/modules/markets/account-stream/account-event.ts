/** From what a commit or the tables say of an account to the events that tell it. */
import type { OrderSnapshot, Trade } from '../../../domain/engine/types.js';
import { unitsOf } from '../../../domain/market/units.js';
import { type BalanceAmounts, toBalanceDto } from '../holdings/balance.dto.js';
import type { MarketCatalogService } from '../market-data/market-catalog.service.js';
import { type FillDto, type FilledTrade, toFillDto } from '../orders/fill.dto.js';
import { type OrderDto, toOrderDto } from '../orders/order.dto.js';
import type { SnapshotReason } from './account-stream.dto.js';
import type { AccountEvent, AccountUpdate } from './account-stream.events.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';

/** A trade with its market and its two accounts. */
export type AccountTrade = FilledTrade & Pick<Trade, 'marketId' | 'makerAccountId' | 'takerAccountId'>;

/** What an event shows of an account. */
export interface AccountContent {
  readonly orders: readonly OrderSnapshot[];
  readonly trades: readonly AccountTrade[];
  readonly balances: readonly BalanceAmounts[];
}

type Catalog = Pick<MarketCatalogService, 'view' | 'fields'>;

/** A part of a snapshot; `sequence` is that of the whole, and only the last part has it. */
export function snapshotEvent(
  accountId: number,
  sequence: number,
  { orders, balances }: AccountContent,
  { reason, isLast }: { readonly reason: SnapshotReason; readonly isLast: boolean },
  catalog: Catalog,
): AccountEvent {
  return {
    type: 'account.snapshot',
    account_id: ACCOUNT_IDS.format(accountId),
    ...(isLast && { sequence }),
    created_at: new Date().toISOString(),
    data: {
      reason,
      orders: ordersIn(orders, catalog),
      balances: balances.map(toBalanceDto),
      is_last: isLast,
    },
  };
}

/** What changed after `previous` and up to `sequence`. */
export function updateEvent(
  accountId: number,
  { previous, sequence }: { readonly previous: number; readonly sequence: number },
  { orders, trades, balances }: AccountContent,
  timeMs: number,
  catalog: Catalog,
): AccountUpdate {
  return {
    type: 'account.update',
    account_id: ACCOUNT_IDS.format(accountId),
    sequence,
    created_at: new Date(timeMs).toISOString(),
    data: {
      previous_sequence: previous,
      orders: ordersIn(orders, catalog),
      fills: fillsIn(trades, accountId, catalog),
      balances: balances.map(toBalanceDto),
    },
  };
}

function ordersIn(orders: readonly OrderSnapshot[], catalog: Catalog): OrderDto[] {
  return orders.map((order) =>
    toOrderDto(order, unitsOf(catalog.view(order.marketId).definition), catalog.fields),
  );
}

/** Each trade from the account's side of it; where it was on both sides, two fills. */
function fillsIn(trades: readonly AccountTrade[], accountId: number, catalog: Catalog): FillDto[] {
  return trades.flatMap((trade) => {
    const { definition } = catalog.view(trade.marketId);
    const fills: FillDto[] = [];
    if (trade.makerAccountId === accountId) fills.push(toFillDto(trade, trade.makerOrderId, definition));
    if (trade.takerAccountId === accountId) fills.push(toFillDto(trade, trade.takerOrderId, definition));
    return fills;
  });
}
