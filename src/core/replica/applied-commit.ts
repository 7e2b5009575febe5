/** What one entry of the journal did, gathered for the view and for those who follow commits. */
import { levelsAt } from '../../domain/engine/changes.js';
import type { Market, Order } from '../../domain/engine/state.js';
import type { BookChange, LedgerTransfer, Side, Trade, TransferReason } from '../../domain/engine/types.js';
import type { Amount } from '../../domain/money/amount.js';
import type { BalanceView } from '../core.types.js';
import type { EffectRow } from '../projection/effects.js';
import type { Effect } from '../projection/tables.js';

/** A row of an effect as its table has it: figures as text, times in milliseconds. */
export type Row = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Prices at which a commit changed a book. */
type TouchedPrices = Record<Side, number[]>;

export class AppliedCommit {
  readonly told = {
    trades: [] as Trade[],
    orders: [] as ReturnType<Order['snapshot']>[],
    transfers: [] as LedgerTransfer[],
    balances: [] as BalanceView[],
    accountSequences: new Map<number, number>(),
  };
  /** Markets whose books or figures have changed. */
  readonly markets = new Set<Market>();
  private readonly touched = new Map<Market, TouchedPrices>();

  constructor(
    private readonly known: ReadonlyMap<string, Market>,
    private readonly isFollowed: (accountId: number) => boolean,
  ) {}

  marketOf({ market_id }: Row): Market {
    const market = this.known.get(String(market_id));
    if (market === undefined) throw new Error(`market ${market_id} is not known`);
    this.markets.add(market);
    return market;
  }

  moveBook(market: Market, row: Row): void {
    const bookSequence = Number(row.book_sequence);
    if (bookSequence !== market.bookSequence && !this.touched.has(market))
      this.touched.set(market, { buy: [], sell: [] });
    market.bookSequence = bookSequence;
    market.lastPriceTicks = row.last_price_ticks === null ? null : Number(row.last_price_ticks);
    market.openInterestLots = Number(row.open_interest_lots);
    market.changedAtMs = row.changed_at as number;
  }

  /** The order's level will be told as it is once the entry is applied. */
  touch({ market, side, priceTicks }: Order): void {
    const prices = this.touched.get(market) ?? { buy: [], sell: [] };
    this.touched.set(market, prices);
    prices[side].push(priceTicks);
  }

  tellOrder(order: Order): void {
    if (this.isFollowed(order.accountId)) this.told.orders.push(order.snapshot());
  }

  tellBalance(row: Row): void {
    const accountId = Number(row.account_id);
    if (!this.isFollowed(accountId)) return;
    const { asset, available, held } = row;
    this.told.balances.push({
      accountId,
      asset: String(asset),
      available: amountOf(available),
      held: amountOf(held),
    });
  }

  /** One change for each market: what its commands came to together. */
  books(): BookChange[] {
    return [...this.touched].map(([market, { buy, sell }]) => {
      const { bids, asks } = market.book;
      return {
        marketId: market.definition.marketId,
        bookSequence: market.bookSequence,
        bids: levelsAt(bids, buy),
        asks: levelsAt(asks, sell),
      };
    });
  }
}

export function recordOf({ columns }: Effect, values: EffectRow): Row {
  return Object.fromEntries(
    columns.map(({ name }, index) => {
      const value = values[index]!;
      const isFigure = typeof value === 'bigint' || typeof value === 'number';
      return [name, isFigure && !name.endsWith('_at') ? `${value}` : (value as Row[string])];
    }),
  );
}

export function tradeOf(row: Row, market: Market): Trade {
  const priceTicks = Number(row.price_ticks);
  const sizeLots = Number(row.size_lots);
  return {
    tradeId: Number(row.trade_id),
    marketId: market.definition.marketId,
    priceTicks,
    sizeLots,
    notional: market.notional(priceTicks, sizeLots) as Amount,
    takerSide: row.taker_side as Side,
    makerOrderId: Number(row.maker_order_id),
    takerOrderId: Number(row.taker_order_id),
    makerAccountId: Number(row.maker_account_id),
    takerAccountId: Number(row.taker_account_id),
    makerFee: amountOf(row.maker_fee),
    takerFee: amountOf(row.taker_fee),
    executedAtMs: row.executed_at as number,
    bookSequence: Number(row.book_sequence),
  };
}

export function transferOf(row: Row): LedgerTransfer {
  return {
    transferId: Number(row.transfer_id),
    debitAccountId: Number(row.debit_account_id),
    creditAccountId: Number(row.credit_account_id),
    asset: String(row.asset),
    amount: amountOf(row.amount),
    reason: row.reason as TransferReason,
    reference: String(row.reference),
    debitBalanceAfter: amountOf(row.debit_balance_after),
    creditBalanceAfter: amountOf(row.credit_balance_after),
    createdAtMs: row.created_at as number,
  };
}

function amountOf(text: Row[string]): Amount {
  return BigInt(text as string) as Amount;
}
