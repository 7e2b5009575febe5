/**
 * What a process that does not lead knows of the exchange: markets and books as of a commit, kept up by the effects
 * of the journal's entries, one after the other. It is never ahead of what is durable.
 */
import type pg from 'pg';
import { levelsAt } from '../../domain/engine/changes.js';
import type { Command } from '../../domain/engine/commands.js';
import type { Asset, Market, Order } from '../../domain/engine/state.js';
import type { BookChange, LedgerTransfer, Side, Trade, TransferReason } from '../../domain/engine/types.js';
import type { Amount } from '../../domain/money/amount.js';
import type { Audience } from '../commit-listeners.js';
import { CommittedView } from '../committed-view.js';
import type { BalanceView, CommittedBatch } from '../core.types.js';
import { decodeCommands } from '../journal/journal.js';
import type { JournalEntry } from '../journal/journal-reader.js';
import { decodeEffects, type EffectRow } from '../projection/effects.js';
import type { Effect } from '../projection/tables.js';
import { WHOLE_TABLES } from '../state/state-loader.js';
import { readPages, type StatePage, type StatePart } from '../state/state-pages.js';
import { tablesPlace } from '../state/state-queries.js';
import {
  type AssetRow,
  type MarketRow,
  marketFrom,
  marketOf,
  orderFrom,
  type OrderRow,
  setProgress,
  setStatus,
} from '../state/state-rows.js';

const ROWS_PER_PAGE = 2_000;

/** Commands that change what stands beside the effects: assets, markets and their status. Text of callers has its quotes escaped. */
const CHANGES_MARKETS =
  /"type":"(?:create_asset|create_market|set_market_status|continue_settlement|correct_settlement|advance_time)"/;
/** Commands that change what is remembered of accounts. */
const CHANGES_ACCOUNTS = /"type":"(?:set_kyc_level|set_account_frozen)"/;

/** A row of an effect as its table has it: figures as text, times in milliseconds. */
type Row = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Prices at which a commit changed a book. */
type TouchedPrices = Record<Side, number[]>;

export class ReplicaState {
  readonly assets = new Map<string, Asset>();
  readonly markets = new Map<string, Market>();
  readonly view: CommittedView;
  /** Live ones. */
  private readonly orders = new Map<number, Order>();
  /** Those that the view does not know yet. */
  private newAssets: Asset[] = [];

  private constructor(
    private place: number,
    /** Of the journal's entry there; null where there is none, or none any more. */
    private hash: string | null,
    pages: readonly StatePage[],
  ) {
    const orders: Order[] = [];
    for (const page of pages) {
      if (page.part === 'assets') this.addAssets(page.rows);
      if (page.part === 'markets') {
        for (const row of page.rows) this.markets.set(row.market_id, marketFrom(row));
      }
      if (page.part === 'orders') {
        for (const row of page.rows) orders.push(orderFrom(row, marketOf(this, row.market_id)));
      }
    }
    orders.sort((a, b) => a.queueSequence - b.queueSequence || a.orderId - b.orderId);
    for (const order of orders) this.put(order);
    this.view = new CommittedView(this);
  }

  /** As of where the tables are, in a snapshot of its own. */
  static async load(client: pg.ClientBase): Promise<ReplicaState> {
    return inSnapshot(client, async () => {
      const { sequence } = await tablesPlace(client);
      const hash = await hashAt(client, sequence);
      return new ReplicaState(sequence, hash, await gather(client, ['assets', 'markets', 'orders']));
    });
  }

  /**
   * Whether the journal still has the last entry that was applied: a standby that was promoted without having been
   * synchronous may never have had it.
   */
  async isOf(client: pg.ClientBase): Promise<boolean> {
    return this.hash === null || this.hash === (await hashAt(client, this.place));
  }

  /** The last sequence that it holds. */
  get sequence(): number {
    return this.place;
  }

  /** Whether `refresh` must come before the entry is applied. */
  static needsRefresh(entry: JournalEntry): boolean {
    return CHANGES_MARKETS.test(entry.commands);
  }

  /**
   * Takes over assets and the status of markets from the tables, which hold at least the entry that is applied
   * next: such commits bring the tables along. Answers the markets that are new or have another status.
   */
  async refresh(client: pg.ClientBase): Promise<readonly Market[]> {
    const pages = await inSnapshot(client, () => gather(client, ['assets', 'markets']));
    const changed: Market[] = [];
    for (const { part, rows } of pages) {
      if (part === 'assets') this.addAssets(rows);
      if (part === 'markets') changed.push(...rows.flatMap((row) => this.refreshMarket(row) ?? []));
    }
    return changed;
  }

  /**
   * Moves on by one entry, which must be the next one; `refreshed` are the markets that `refresh` has answered for it.
   * @throws where the entry keeps no effects, or is not the next one
   */
  apply(entry: JournalEntry, refreshed: readonly Market[], isFollowed: Audience): CommittedBatch {
    const { firstSequence, lastSequence, timeMs, effects } = entry;
    if (firstSequence !== this.place + 1)
      throw new Error(`the journal goes on at ${firstSequence}, the view is at ${this.place}`);
    if (this.hash !== null && entry.previousHash !== this.hash)
      throw new Error(`the journal's entry ${lastSequence} follows another one than was applied`);
    if (effects === null) throw new Error(`the journal's entry ${lastSequence} has no effects to apply`);
    const commit = new AppliedCommit(this.markets, isFollowed ?? (() => false));
    for (const { effect, rows } of decodeEffects(effects, timeMs)) {
      for (const values of rows) this.applyRow(commit, effect, recordOf(effect, values));
    }
    this.place = lastSequence;
    this.hash = entry.hash;
    const markets = [...new Set([...refreshed, ...commit.markets])];
    const books = commit.books();
    this.view.apply(CommittedView.changeOf({ newAssets: this.newAssets, markets, books }));
    this.newAssets = [];
    return {
      firstSequence,
      lastSequence,
      timeMs,
      ...commit.told,
      books,
      changedAccountIds: changedAccountsIn(entry),
      marketIds: refreshed.map(({ definition }) => definition.marketId),
    };
  }

  private applyRow(commit: AppliedCommit, { table, kind }: Effect, row: Row): void {
    switch (table) {
      case 'orders':
        this.changeOrder(commit, row, kind === 'insert');
        return;
      case 'market_books':
        commit.moveBook(commit.marketOf(row), row);
        return;
      case 'trades':
        commit.told.trades.push(tradeOf(row, commit.marketOf(row)));
        return;
      case 'transfers':
        commit.told.transfers.push(transferOf(row));
        return;
      case 'balances':
        commit.tellBalance(row);
        return;
      case 'account_changes':
        commit.told.accountSequences.set(Number(row.account_id), Number(row.sequence));
        return;
    }
  }

  private changeOrder(commit: AppliedCommit, row: Row, isNew: boolean): void {
    const orderRow = row as unknown as OrderRow;
    let order: Order;
    if (isNew) order = orderFrom(orderRow, commit.marketOf(row));
    else {
      order = this.liveOrder(Number(row.order_id));
      if (order.level !== null) {
        commit.touch(order);
        order.market.book.sideOf(order.side).remove(order);
      }
      this.orders.delete(order.orderId);
      setProgress(order, orderRow);
    }
    this.put(order);
    if (order.level !== null) commit.touch(order);
    commit.tellOrder(order);
  }

  private liveOrder(orderId: number): Order {
    const order = this.orders.get(orderId);
    if (order === undefined) throw new Error(`order ${orderId} was changed and is not live`);
    return order;
  }

  /** Keeps a live order, and puts it into its book where it stands in one. */
  private put(order: Order): void {
    if (!order.isLive) return;
    this.orders.set(order.orderId, order);
    if (order.status !== 'untriggered') order.market.book.sideOf(order.side).add(order);
  }

  private addAssets(rows: readonly AssetRow[]): void {
    for (const { code, scale, created_at } of rows) {
      if (this.assets.has(code)) continue;
      const asset = { code, scale, createdAtMs: created_at };
      this.assets.set(code, asset);
      this.newAssets.push(asset);
    }
  }

  private refreshMarket(row: MarketRow): Market | null {
    const known = this.markets.get(row.market_id);
    if (known === undefined) {
      const market = marketFrom(row);
      this.markets.set(row.market_id, market);
      return market;
    }
    const { status, settlementValue } = known;
    setStatus(known, row);
    return status === known.status && settlementValue === known.settlementValue ? null : known;
  }
}

/** Tables that are read one after the other are all of one moment. */
async function inSnapshot<T>(client: pg.ClientBase, read: () => Promise<T>): Promise<T> {
  await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    await client.query(WHOLE_TABLES);
    return await read();
  } finally {
    await client.query('ROLLBACK');
  }
}

async function hashAt(client: pg.ClientBase, sequence: number): Promise<string | null> {
  const { rows } = await client.query<{ hash: string }>('SELECT hash FROM journal WHERE last_sequence = $1', [
    sequence,
  ]);
  return rows[0]?.hash ?? null;
}

async function gather(client: pg.ClientBase, parts: readonly StatePart[]): Promise<StatePage[]> {
  const pages: StatePage[] = [];
  for await (const page of readPages(client, { parts, rowsPerPage: ROWS_PER_PAGE, readsAhead: true })) {
    pages.push(page);
  }
  return pages;
}

/** What one entry did, gathered for the view and for those who follow commits. */
class AppliedCommit {
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

function recordOf({ columns }: Effect, values: EffectRow): Row {
  return Object.fromEntries(
    columns.map(({ name }, index) => {
      const value = values[index]!;
      const isFigure = typeof value === 'bigint' || typeof value === 'number';
      return [name, isFigure && !name.endsWith('_at') ? `${value}` : (value as Row[string])];
    }),
  );
}

function tradeOf(row: Row, market: Market): Trade {
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

function transferOf(row: Row): LedgerTransfer {
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

function changedAccountsIn({ commands }: JournalEntry): number[] {
  if (!CHANGES_ACCOUNTS.test(commands)) return [];
  return decodeCommands(commands).flatMap((command: Command) =>
    command.type === 'set_kyc_level' || command.type === 'set_account_frozen' ? [command.accountId] : [],
  );
}
