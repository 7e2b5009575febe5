/** Makes the public parts of journal rows, and keeps what they add up to. */
import type { ClientBase, Pool } from 'pg';
import type { Side } from '../../domain/engine/types.js';
import { InvariantError } from '../../domain/invariant-error.js';
import { shownLotsOf } from '../../domain/matching/order-book.js';
import {
  figuresText,
  orderText,
  PublicDigest,
  type PublicFigures,
  publicHash,
  type PublicMarket,
  type PublicOrder,
  type PublicStand,
  publicText,
  type PublicTrade,
} from '../../domain/proof/public-journal.js';
import type { EffectTable, NamedRow } from './effect-tables.js';
import type { Pseudonyms } from './pseudonyms.js';

/** What never changes of an order, as far as its book shows it. */
interface Terms {
  readonly accountId: number;
  readonly marketId: string;
  readonly side: Side;
  /** Null where its book shows all of it. */
  readonly displayLots: number | null;
  readonly createdAtMs: number;
}

/** The public part of a row, as its leaf names it, and its text; null where there is nothing public in it. */
export interface PublicRow {
  readonly stand: PublicStand;
  readonly text: string | null;
}

/** Statuses of orders that are in a book. */
const RESTING = new Set(['open', 'partially_filled']);

/** What orders that a row only changes are; the projector has written them all. */
const LOAD_TERMS = `
  SELECT order_id, account_id, market_id, side, display_lots, (extract(epoch FROM created_at) * 1000)::float8 AS created_at
  FROM unnest($1::int8[], $2::int8[]) AS asked (account_id, order_id) JOIN orders USING (account_id, order_id)`;

const LOAD_STATE = 'SELECT name, content FROM journal_public_state WHERE name = ANY($1::text[])';

const REMOVE_STATE = 'DELETE FROM journal_public_state WHERE name = ANY($1::text[])';

const STORE_STATE = `
  INSERT INTO journal_public_state (name, content) SELECT * FROM unnest($1::text[], $2::text[])
  ON CONFLICT (name) DO UPDATE SET content = EXCLUDED.content`;

interface TermsRow {
  readonly order_id: string;
  readonly account_id: string;
  readonly market_id: string;
  readonly side: Side;
  readonly display_lots: string | null;
  readonly created_at: number;
}

/**
 * For the rows of one step, in the transaction that adds them to the tree. Loads what these rows change and no more, so
 * it costs the same however many orders are open.
 */
export class PublicBooks {
  private readonly terms = new Map<number, Terms>();
  /** By name, the text that the digest has of it; null where it has none. */
  private readonly texts = new Map<string, string | null>();
  private readonly changed = new Set<string>();

  private constructor(
    private readonly digest: PublicDigest,
    private readonly pseudonyms: Pseudonyms,
  ) {}

  /** `digest` is that after the row before the first of these. */
  static async load(
    client: ClientBase | Pool,
    rows: readonly (readonly EffectTable[])[],
    { digest, pseudonyms }: { readonly digest: string; readonly pseudonyms: Pseudonyms },
  ): Promise<PublicBooks> {
    const books = new PublicBooks(new PublicDigest(digest), pseudonyms);
    const tables = rows.flat();
    await books.loadTerms(
      client,
      tables.filter(({ table }) => table === 'orders'),
    );
    await books.loadState(client, tables);
    return books;
  }

  /** The public part of the next row. */
  take(tables: readonly EffectTable[]): PublicRow {
    const markets = new Map<
      string,
      { figures: PublicFigures; orders: PublicOrder[]; trades: PublicTrade[] }
    >();
    for (const row of rowsOf(tables, 'market_books'))
      markets.set(row.market_id as string, { figures: figuresOf(row), orders: [], trades: [] });
    const marketOf = (marketId: string) => {
      const market = markets.get(marketId);
      if (market === undefined) throw new InvariantError(`the book of ${marketId} has changed unnoticed`);
      return market;
    };
    const makers = new Set<number>();
    const bets = new Set(rowsOf(tables, 'matched_bets').map((row) => row.order_id as number));
    for (const row of rowsOf(tables, 'trades')) {
      makers.add(row.maker_order_id as number);
      marketOf(row.market_id as string).trades.push(this.tradeOf(row, bets));
    }
    for (const row of rowsOf(tables, 'orders')) {
      const order = this.orderOf(row);
      const { marketId } = this.terms.get(order.order_id)!;
      const wasThere = (this.texts.get(nameOfOrder(order.order_id)) ?? null) !== null;
      if (order.size_lots === 0 && !wasThere && !makers.has(order.order_id)) continue;
      if (this.renew(nameOfOrder(order.order_id), orderText(marketId, order)) || makers.has(order.order_id))
        marketOf(marketId).orders.push(order);
    }
    for (const [marketId, { figures }] of markets)
      this.renew(nameOfMarket(marketId), figuresText(marketId, figures));
    return this.finish(
      [...markets]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([market_id, { figures, orders, trades }]) => ({
          figures,
          market_id,
          orders: orders.sort((a, b) => a.order_id - b.order_id),
          trades: trades.sort((a, b) => a.trade_id - b.trade_id),
        })),
    );
  }

  /** Keeps what has changed for the next step. */
  async store(client: ClientBase): Promise<void> {
    const names = [...this.changed];
    const gone = names.filter((name) => this.texts.get(name) === null);
    const kept = names.filter((name) => this.texts.get(name) !== null);
    if (gone.length > 0) await client.query(REMOVE_STATE, [gone]);
    if (kept.length > 0) await client.query(STORE_STATE, [kept, kept.map((name) => this.texts.get(name)!)]);
  }

  private finish(markets: readonly PublicMarket[]): PublicRow {
    const text = markets.length === 0 ? null : publicText({ markets });
    return { text, stand: { hash: text && publicHash(text), state_hash: this.digest.hex } };
  }

  /** Answers whether the text is another one than before. */
  private renew(name: string, after: string | null): boolean {
    const before = this.texts.get(name) ?? null;
    if (before === after) return false;
    this.digest.renew(before, after);
    this.texts.set(name, after);
    this.changed.add(name);
    return true;
  }

  private orderOf(row: NamedRow): PublicOrder {
    const orderId = row.order_id as number;
    const terms = this.terms.get(orderId);
    if (terms === undefined) throw new InvariantError(`order ${orderId} has changed and is not there`);
    const { side, displayLots } = terms;
    const isResting = RESTING.has(row.status as string);
    return {
      order_id: orderId,
      price_ticks: row.price_ticks as number,
      queue_sequence: row.queue_sequence as number,
      side,
      size_lots: isResting
        ? shownLotsOf(row.remaining_lots as number, row.filled_lots as number, displayLots ?? Infinity)
        : 0,
      trader: this.traderOf(terms),
    };
  }

  private tradeOf(row: NamedRow, bets: ReadonlySet<number>): PublicTrade {
    const [makerId, takerId] = [row.maker_order_id as number, row.taker_order_id as number];
    const [maker, taker] = [this.terms.get(makerId), this.terms.get(takerId)];
    if (maker === undefined || taker === undefined)
      throw new InvariantError(`trade ${row.trade_id as number} has changed orders that are not there`);
    return {
      book_sequence: row.book_sequence as number,
      maker: this.traderOf(maker),
      maker_order_id: makerId,
      price_ticks: row.price_ticks as number,
      size_lots: row.size_lots as number,
      skips_own: bets.has(takerId),
      taker: this.traderOf(taker),
      taker_order_id: takerId,
      taker_side: row.taker_side as Side,
      trade_id: row.trade_id as number,
    };
  }

  private traderOf({ accountId, marketId, createdAtMs }: Terms): string {
    return this.pseudonyms.of(accountId, marketId, createdAtMs);
  }

  private async loadTerms(client: ClientBase | Pool, tables: readonly EffectTable[]): Promise<void> {
    const asked = new Map<number, number>();
    for (const { kind, rows } of tables)
      for (const row of rows) {
        const orderId = row.order_id as number;
        if (kind === 'insert') this.terms.set(orderId, termsOf(row));
        else asked.set(orderId, row.account_id as number);
      }
    for (const orderId of this.terms.keys()) asked.delete(orderId);
    if (asked.size === 0) return;
    const { rows } = await client.query<TermsRow>(LOAD_TERMS, [[...asked.values()], [...asked.keys()]]);
    for (const row of rows)
      this.terms.set(Number(row.order_id), {
        accountId: Number(row.account_id),
        marketId: row.market_id,
        side: row.side,
        displayLots: row.display_lots === null ? null : Number(row.display_lots),
        createdAtMs: row.created_at,
      });
  }

  private async loadState(client: ClientBase | Pool, tables: readonly EffectTable[]): Promise<void> {
    const names = new Set<string>();
    for (const row of rowsOf(tables, 'market_books')) names.add(nameOfMarket(row.market_id as string));
    for (const row of rowsOf(tables, 'orders')) names.add(nameOfOrder(row.order_id as number));
    if (names.size === 0) return;
    const { rows } = await client.query<{ name: string; content: string }>(LOAD_STATE, [[...names]]);
    for (const { name, content } of rows) this.texts.set(name, content);
  }
}

function rowsOf(tables: readonly EffectTable[], name: string): NamedRow[] {
  return tables.filter(({ table }) => table === name).flatMap(({ rows }) => rows);
}

function termsOf(row: NamedRow): Terms {
  return {
    accountId: row.account_id as number,
    marketId: row.market_id as string,
    side: row.side as Side,
    displayLots: (row.display_lots as number | null | undefined) ?? null,
    createdAtMs: row.created_at as number,
  };
}

function figuresOf(row: NamedRow): PublicFigures {
  return {
    book_sequence: row.book_sequence as number,
    last_price_ticks: row.last_price_ticks as number | null,
    open_interest_lots: row.open_interest_lots as number,
  };
}

function nameOfOrder(orderId: number): string {
  return `order ${orderId}`;
}

function nameOfMarket(marketId: string): string {
  return `market ${marketId}`;
}
