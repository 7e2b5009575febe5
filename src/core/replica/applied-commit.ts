/** What one entry of the journal did, gathered for the view and for those who follow commits. */
import { levelsAt } from '../../domain/engine/changes.js';
import type { Market, Order } from '../../domain/engine/state.js';
import type { BookChange, LedgerTransfer, SetLeg, Side, Trade } from '../../domain/engine/types.js';
import type { Amount } from '../../domain/money/amount.js';
import type { BalanceView } from '../view/views.js';
import type { EffectRow } from '../projection/effects.js';
import type { Effect } from '../projection/tables.js';
import type { Value } from '../tables/values.js';
import {
  ACCOUNT_CHANGE_COLUMNS,
  BALANCE_COLUMNS,
  BOOK_FIGURES,
  BOOK_KEY,
  SET_LEG_COLUMNS,
  TRADE_COLUMNS,
  LEDGER_TRANSFER_COLUMNS,
} from '../tables/core-tables.js';
import { rowValue, setFields, valueReader } from '../tables/table-row.js';

const tradeFields = valueReader(TRADE_COLUMNS);
const legFields = valueReader(SET_LEG_COLUMNS);
const transferFields = valueReader(LEDGER_TRANSFER_COLUMNS);
const balanceFields = valueReader(BALANCE_COLUMNS);
const bookFields = valueReader(BOOK_FIGURES);
const changeFields = valueReader(ACCOUNT_CHANGE_COLUMNS);

/** Prices at which a commit changed a book. */
type TouchedPrices = Record<Side, number[]>;

export class AppliedCommit {
  readonly notification = {
    trades: [] as Trade[],
    setLegs: [] as SetLeg[],
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

  marketOf(marketId: string): Market {
    const market = this.known.get(marketId);
    if (market === undefined) throw new Error(`market ${marketId} is not known`);
    this.markets.add(market);
    return market;
  }

  /** What an effect on any other table than that of the orders has done. */
  apply(table: string, values: EffectRow): void {
    switch (table) {
      case 'market_books':
        this.moveBook(values);
        return;
      case 'trades':
        this.notification.trades.push(this.tradeOf(values));
        return;
      case 'set_legs':
        this.notification.setLegs.push(legFields(values));
        return;
      case 'transfers':
        this.notification.transfers.push(transferFields(values));
        return;
      case 'balances':
        this.noteBalance(balanceFields(values));
        return;
      case 'account_changes':
        this.noteAccountChange(values);
        return;
    }
  }

  /** The order's level will be shown as it is once the entry is applied. */
  touch({ market, side, priceTicks }: Order): void {
    const prices = this.touched.get(market) ?? { buy: [], sell: [] };
    this.touched.set(market, prices);
    prices[side].push(priceTicks);
  }

  noteOrder(order: Order): void {
    if (this.isFollowed(order.accountId)) this.notification.orders.push(order.snapshot());
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

  private moveBook(values: EffectRow): void {
    const market = this.marketOf(values[0] as string);
    const figures = bookFields(values.slice(BOOK_KEY.length));
    if (figures.bookSequence !== market.bookSequence && !this.touched.has(market))
      this.touched.set(market, { buy: [], sell: [] });
    setFields(market, figures);
  }

  private tradeOf(values: EffectRow): Trade {
    const trade = tradeFields(values);
    const { marketId, priceTicks, sizeLots } = trade;
    return { ...trade, notional: this.marketOf(marketId).notional(priceTicks, sizeLots) as Amount };
  }

  private noteBalance(balance: BalanceView): void {
    if (this.isFollowed(balance.accountId)) this.notification.balances.push(balance);
  }

  private noteAccountChange(values: EffectRow): void {
    const { accountId, sequence } = changeFields(values);
    this.notification.accountSequences.set(accountId, sequence);
  }
}

/** A row of an effect as its table has it: figures as text, times in milliseconds. */
export function rowOf({ columns }: Effect, values: EffectRow): Readonly<Record<string, Value>> {
  const row: Record<string, Value> = {};
  for (let place = 0; place < columns.length; place++) {
    const { name, kind } = columns[place]!;
    row[name] = rowValue(kind, values[place]!);
  }
  return row;
}
