/** Makes the public parts of journal rows, and keeps what they add up to. */
import type { ClientBase } from 'pg';
import type { Side } from '../../domain/engine/types.js';
import { InvariantError } from '../../domain/invariant.js';
import { shownLotsOf } from '../../domain/matching/order-book.js';
import {
  figuresTextOf,
  orderTextOf,
  PublicDigest,
  publicHash,
  type PublicStand,
  publicTextOf,
} from '../../domain/proof/public-journal.js';
import type { EffectTable } from './effect-tables.js';
import type { Pseudonyms } from './pseudonyms.js';

/** What never changes of an order, as far as its book shows it. */
interface Terms {
  readonly accountId: number;
  readonly marketId: string;
  readonly side: Side;
  /** Null where its book shows all of it. */
  readonly displayLots: number | null;
  readonly createdAtMs: number;
  /** Its account's pseudonym, once it was asked for. */
  trader?: string;
}

/** The public part of a market, by ids: each order and trade as canonical JSON. */
interface MarketPart {
  readonly figures: string;
  readonly orders: Map<number, string>;
  readonly trades: Map<number, string>;
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
  private readonly digest: PublicDigest;
  private readonly terms = new Map<number, Terms>();
  /** By name, the text that the digest has of it; null where it has none. */
  private readonly texts = new Map<string, string | null>();
  /** Names that are stored from before. */
  private readonly stored = new Set<string>();
  private readonly changed = new Set<string>();

  /** `digest` is that after the row before the first of these. */
  constructor(
    digest: string,
    private readonly pseudonyms: Pseudonyms,
  ) {
    this.digest = new PublicDigest(digest);
  }

  /** To be called with the tables of each row before it is taken. */
  async load(client: Pick<ClientBase, 'query'>, tables: readonly EffectTable[]): Promise<void> {
    await this.loadTerms(client, named(tables, 'orders'));
    await this.loadState(client, tables);
  }

  /** The public part of the next row. */
  take(tables: readonly EffectTable[]): PublicRow {
    const markets = new Map<string, MarketPart>();
    for (const table of named(tables, 'market_books')) this.takeFigures(table, markets);
    const bets = new Set(named(tables, 'matched_bets').flatMap((table) => numbers(table, 'order_id')));
    const makers = new Set<number>();
    for (const table of named(tables, 'trades')) {
      for (const orderId of numbers(table, 'maker_order_id')) makers.add(orderId);
      this.takeTrades(table, markets, bets);
    }
    for (const table of named(tables, 'orders')) this.takeOrders(table, markets, makers);
    const parts = [...markets]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([market_id, { figures, orders, trades }]) => {
        return { figures, market_id, orders: byId(orders), trades: byId(trades) };
      });
    const text = parts.length === 0 ? null : publicTextOf(parts);
    return { text, stand: { hash: text && publicHash(text), state_hash: this.digest.hex } };
  }

  /** Keeps what has changed for the next step. */
  async store(client: ClientBase): Promise<void> {
    const names = [...this.changed];
    const gone = names.filter((name) => this.texts.get(name) === null && this.stored.has(name));
    const kept = names.filter((name) => this.texts.get(name) !== null);
    if (gone.length > 0) await client.query(REMOVE_STATE, [gone]);
    if (kept.length > 0) await client.query(STORE_STATE, [kept, kept.map((name) => this.texts.get(name)!)]);
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

  private takeFigures(table: EffectTable, markets: Map<string, MarketPart>): void {
    const [sequences, prices] = [table.json('book_sequence'), table.json('last_price_ticks')];
    const lots = table.json('open_interest_lots');
    for (const [row, marketId] of texts(table, 'market_id').entries()) {
      const figures = `{"book_sequence":${sequences[row]!},"last_price_ticks":${prices[row]!},"open_interest_lots":${lots[row]!}}`;
      markets.set(marketId, { figures, orders: new Map(), trades: new Map() });
      this.renew(nameOfMarket(marketId), figuresTextOf(marketId, figures));
    }
  }

  private takeTrades(
    table: EffectTable,
    markets: ReadonlyMap<string, MarketPart>,
    bets: ReadonlySet<number>,
  ): void {
    const marketIds = texts(table, 'market_id');
    const [makers, takers] = [numbers(table, 'maker_order_id'), numbers(table, 'taker_order_id')];
    const [sequences, ids] = [table.json('book_sequence'), table.json('trade_id')];
    const [makerIds, takerIds] = [table.json('maker_order_id'), table.json('taker_order_id')];
    const [prices, sizes] = [table.json('price_ticks'), table.json('size_lots')];
    const sides = table.json('taker_side');
    for (const [row, tradeId] of numbers(table, 'trade_id').entries()) {
      const maker = this.traderOf(this.termsOf(makers[row]!));
      const taker = this.traderOf(this.termsOf(takers[row]!));
      marketOf(markets, marketIds[row]!).trades.set(
        tradeId,
        `{"book_sequence":${sequences[row]!},"maker":"${maker}","maker_order_id":${makerIds[row]!},` +
          `"price_ticks":${prices[row]!},"size_lots":${sizes[row]!},"skips_own":${bets.has(takers[row]!)},` +
          `"taker":"${taker}","taker_order_id":${takerIds[row]!},"taker_side":${sides[row]!},"trade_id":${ids[row]!}}`,
      );
    }
  }

  private takeOrders(
    table: EffectTable,
    markets: ReadonlyMap<string, MarketPart>,
    makers: ReadonlySet<number>,
  ): void {
    const [remaining, filled] = [numbers(table, 'remaining_lots'), numbers(table, 'filled_lots')];
    const [statuses, ids] = [texts(table, 'status'), table.json('order_id')];
    const [prices, places] = [table.json('price_ticks'), table.json('queue_sequence')];
    for (const [row, orderId] of numbers(table, 'order_id').entries()) {
      const terms = this.termsOf(orderId);
      const name = nameOfOrder(orderId);
      const lots = RESTING.has(statuses[row]!)
        ? shownLotsOf(remaining[row]!, filled[row]!, terms.displayLots ?? Infinity)
        : 0;
      if (lots === 0 && this.texts.get(name) === null && !makers.has(orderId)) continue;
      const order =
        `{"order_id":${ids[row]!},"price_ticks":${prices[row]!},"queue_sequence":${places[row]!},` +
        `"side":"${terms.side}","size_lots":${lots},"trader":"${this.traderOf(terms)}"}`;
      const isNew = this.renew(name, lots === 0 ? null : orderTextOf(terms.marketId, order));
      if (isNew || makers.has(orderId)) marketOf(markets, terms.marketId).orders.set(orderId, order);
    }
  }

  private termsOf(orderId: number): Terms {
    const terms = this.terms.get(orderId);
    if (terms === undefined) throw new InvariantError(`order ${orderId} has changed and is not there`);
    return terms;
  }

  private traderOf(terms: Terms): string {
    terms.trader ??= this.pseudonyms.of(terms.accountId, terms.marketId, terms.createdAtMs);
    return terms.trader;
  }

  private async loadTerms(client: Pick<ClientBase, 'query'>, tables: readonly EffectTable[]): Promise<void> {
    const asked = new Map<number, number>();
    for (const table of tables) {
      if (table.effect.kind === 'insert') this.noteTerms(table);
      else {
        const accountIds = numbers(table, 'account_id');
        for (const [row, orderId] of numbers(table, 'order_id').entries())
          asked.set(orderId, accountIds[row]!);
      }
    }
    for (const orderId of asked.keys()) if (this.terms.has(orderId)) asked.delete(orderId);
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

  private noteTerms(table: EffectTable): void {
    const [accountIds, times] = [numbers(table, 'account_id'), numbers(table, 'created_at')];
    const [marketIds, sides] = [texts(table, 'market_id'), texts(table, 'side')];
    const shown = table.has('display_lots') ? (table.column('display_lots') as (number | null)[]) : [];
    for (const [row, orderId] of numbers(table, 'order_id').entries())
      this.terms.set(orderId, {
        accountId: accountIds[row]!,
        marketId: marketIds[row]!,
        side: sides[row] as Side,
        displayLots: shown[row] ?? null,
        createdAtMs: times[row]!,
      });
  }

  private async loadState(client: Pick<ClientBase, 'query'>, tables: readonly EffectTable[]): Promise<void> {
    const asked = new Set<string>();
    const ask = (name: string): void => void (this.texts.has(name) || asked.add(name));
    for (const table of named(tables, 'market_books'))
      for (const marketId of texts(table, 'market_id')) ask(nameOfMarket(marketId));
    for (const table of named(tables, 'orders'))
      for (const orderId of numbers(table, 'order_id'))
        if (table.effect.kind === 'insert') this.texts.set(nameOfOrder(orderId), null);
        else ask(nameOfOrder(orderId));
    if (asked.size === 0) return;
    const { rows } = await client.query<{ name: string; content: string }>(LOAD_STATE, [[...asked]]);
    for (const { name, content } of rows) {
      this.stored.add(name);
      this.texts.set(name, content);
    }
    for (const name of asked) if (!this.texts.has(name)) this.texts.set(name, null);
  }
}

function marketOf(markets: ReadonlyMap<string, MarketPart>, marketId: string): MarketPart {
  const market = markets.get(marketId);
  if (market === undefined) throw new InvariantError(`the book of ${marketId} has changed unnoticed`);
  return market;
}

function named(tables: readonly EffectTable[], name: string): EffectTable[] {
  return tables.filter(({ effect }) => effect.table === name);
}

function numbers(table: EffectTable, name: string): readonly number[] {
  return table.column(name) as readonly number[];
}

function texts(table: EffectTable, name: string): readonly string[] {
  return table.column(name) as readonly string[];
}

function byId(contents: ReadonlyMap<number, string>): string[] {
  return [...contents].sort(([a], [b]) => a - b).map(([, text]) => text);
}

function nameOfOrder(orderId: number): string {
  return `order ${orderId}`;
}

function nameOfMarket(marketId: string): string {
  return `market ${marketId}`;
}
