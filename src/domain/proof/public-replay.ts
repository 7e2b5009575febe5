/**
 * Replays the public part of the journal: keeps all books, and checks that every trade was made at the price of the
 * order whose turn it was. Takes nothing for granted: what it is given may have been made up.
 */
import { PublicBook } from './public-book.js';
import {
  figuresText,
  publicOrderText,
  PublicDigest,
  type PublicFigures,
  type PublicMarket,
  type PublicOrder,
  type PublicPart,
  type PublicTrade,
} from './public-journal.js';

/** The places of the ledger's sequence that a row holds, and when it was committed. */
export interface RowSpan {
  readonly first_sequence: number;
  readonly last_sequence: number;
  readonly time: string;
}

interface ReplayedMarket {
  figures: PublicFigures | null;
  readonly book: PublicBook;
}

/** The books of one row, before and after it, as the checks of its trades need them. */
interface Turn {
  readonly before: ReadonlyMap<number, PublicOrder>;
  readonly after: ReadonlyMap<number, PublicOrder>;
  readonly book: PublicBook;
  /** Lots that each maker has traded so far. */
  readonly traded: Map<number, number>;
}

const SIDES: ReadonlySet<unknown> = new Set(['buy', 'sell']);
const TRADER = /^[0-9a-f]{16}$/;

export class PublicReplay {
  trades = 0;
  orders = 0;
  private readonly markets = new Map<string, ReplayedMarket>();
  private readonly digest = new PublicDigest();
  /** Before this place orders may have come that the replay has not seen, since the tree begins there. */
  private beginSequence: number | null = null;
  /** The day (UTC) of the last row, and where its first row began: older orders have other pseudonyms. */
  private day = '';
  private dayBeginSequence = 0;

  get stateHash(): string {
    return this.digest.hex;
  }

  get openOrders(): number {
    return [...this.markets.values()].reduce((sum, { book }) => sum + book.orders.size, 0);
  }

  get marketIds(): string[] {
    return [...this.markets.keys()];
  }

  /** The orders in a market's book. */
  ordersOf(marketId: string): PublicOrder[] {
    return [...(this.markets.get(marketId)?.book.orders.values() ?? [])];
  }

  /** Takes the next row; why it cannot be what happened, or null. After a fault the replay is of no more use. */
  take(span: RowSpan, part: PublicPart | null): string | null {
    try {
      this.beginSequence ??= span.first_sequence;
      this.beginDay(span);
      let previous = '';
      for (const market of part?.markets ?? []) {
        assertThat(
          typeof market.market_id === 'string' && market.market_id > previous,
          'markets are not in order',
        );
        previous = market.market_id;
        this.takeMarket(span, market);
      }
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  private beginDay({ first_sequence, time }: RowSpan): void {
    const day = time.slice(0, 'yyyy-mm-dd'.length);
    assertThat(day >= this.day, `the row of ${time} is older than the one before`);
    if (day === this.day) return;
    this.day = day;
    this.dayBeginSequence = first_sequence;
  }

  private takeMarket(span: RowSpan, { market_id, figures, orders, trades }: PublicMarket): void {
    let market = this.markets.get(market_id);
    if (market === undefined) {
      market = { figures: null, book: new PublicBook() };
      this.markets.set(market_id, market);
    }
    const { book } = market;
    const makers = new Set(trades.map(({ maker_order_id }) => maker_order_id));
    const before = new Map<number, PublicOrder>();
    const after = new Map<number, PublicOrder>();
    let previous = 0;
    for (const order of orders) {
      assertThat(order.order_id > previous, `the orders of ${market_id} are not in order`);
      previous = order.order_id;
      const known = book.orders.get(order.order_id);
      this.checkOrder(span, order, known, makers);
      if (known !== undefined) before.set(order.order_id, known);
      after.set(order.order_id, order);
      this.digest.renew(
        known === undefined ? null : publicOrderText(market_id, known),
        publicOrderText(market_id, order),
      );
    }
    for (const order of orders) book.put(order);
    this.checkTrades(span, { before, after, book, traded: new Map() }, trades);
    assertThat(!book.isCrossed, `the book of ${market_id} is left crossed`);
    this.takeFigures(market_id, market, figures, trades);
    this.orders += orders.length;
    this.trades += trades.length;
  }

  private checkOrder(
    span: RowSpan,
    order: PublicOrder,
    known: PublicOrder | undefined,
    makers: ReadonlySet<number>,
  ): void {
    const { order_id, trader, side, price_ticks, size_lots, queue_sequence } = order;
    assertWhole(order_id, price_ticks, queue_sequence);
    assertThat(Number.isSafeInteger(size_lots) && size_lots >= 0, `order ${order_id} has no size`);
    assertThat(SIDES.has(side), `order ${order_id} has no side`);
    assertThat(TRADER.test(trader), `order ${order_id} has no pseudonym`);
    if (known === undefined) {
      assertThat(
        size_lots > 0 || makers.has(order_id),
        `order ${order_id} leaves a book in which it was not`,
      );
      this.checkPlace(span, order);
      return;
    }
    assertThat(known.side === side && known.trader === trader, `order ${order_id} has become another one`);
    if (known.queue_sequence !== queue_sequence) return this.checkPlace(span, order);
    assertThat(known.price_ticks === price_ticks, `order ${order_id} has another price in the same place`);
    assertThat(size_lots <= known.size_lots, `order ${order_id} has grown and kept its place`);
  }

  /** Nobody joins a queue at a place that was given out before. */
  private checkPlace(
    { first_sequence, last_sequence }: RowSpan,
    { order_id, queue_sequence }: PublicOrder,
  ): void {
    const isNow = queue_sequence >= first_sequence && queue_sequence <= last_sequence;
    assertThat(
      isNow || queue_sequence < this.beginSequence!,
      `order ${order_id} has place ${queue_sequence} in its queue, which the row does not give out`,
    );
  }

  private checkTrades(
    { first_sequence, last_sequence }: RowSpan,
    turn: Turn,
    trades: readonly PublicTrade[],
  ): void {
    let previous = first_sequence - 1;
    for (const trade of trades) {
      const { trade_id, price_ticks, size_lots, maker_order_id, taker_order_id, maker, taker } = trade;
      assertWhole(trade_id, price_ticks, size_lots, maker_order_id, taker_order_id);
      assertThat(trade_id > previous && trade_id <= last_sequence, `trade ${trade_id} is not in its place`);
      previous = trade_id;
      assertThat(
        maker_order_id !== taker_order_id && maker !== taker,
        `in trade ${trade_id} somebody trades with themselves`,
      );
      this.checkMaker(turn, trade);
      checkTaker(turn, trade);
    }
    for (const [order_id, lots] of turn.traded) {
      const [before, after] = [turn.before.get(order_id), turn.after.get(order_id)!];
      if (before?.queue_sequence !== after.queue_sequence) continue;
      assertThat(
        before.size_lots - after.size_lots >= lots,
        `order ${order_id} traded more than it has become smaller`,
      );
    }
  }

  private checkMaker({ after, book, traded }: Turn, trade: PublicTrade): void {
    const { trade_id, maker_order_id, taker_side, maker, taker, skips_own, price_ticks, size_lots } = trade;
    const end = after.get(maker_order_id);
    assertThat(end !== undefined, `trade ${trade_id} leaves its maker as it was`);
    const side = taker_side === 'buy' ? 'sell' : 'buy';
    assertThat(
      end.side === side && end.trader === maker,
      `trade ${trade_id} is not with the order that it names`,
    );
    traded.set(maker_order_id, (traded.get(maker_order_id) ?? 0) + size_lots);
    // An order that has joined the queue again since, such as an iceberg, stood elsewhere before.
    if (end.queue_sequence >= trade_id) return;
    assertThat(end.price_ticks === price_ticks, `trade ${trade_id} is not at the price of its maker`);
    const ahead = book.ahead(side, {
      priceTicks: price_ticks,
      queueSequence: end.queue_sequence,
      sequence: trade_id,
      isPassedOver: ({ order_id, trader }) =>
        skips_own && (trader === taker || order_id < this.dayBeginSequence),
    });
    assertThat(ahead === null, `in trade ${trade_id} it was the turn of order ${ahead?.order_id}`);
  }

  private takeFigures(
    marketId: string,
    market: ReplayedMarket,
    figures: PublicFigures,
    trades: readonly PublicTrade[],
  ): void {
    const { book_sequence, last_price_ticks, open_interest_lots } = figures;
    const known = market.figures;
    assertThat(
      Number.isSafeInteger(book_sequence) && book_sequence >= (known?.book_sequence ?? 0),
      `the book of ${marketId} goes back`,
    );
    assertThat(
      Number.isSafeInteger(open_interest_lots) && open_interest_lots >= 0,
      `${marketId} has no open interest`,
    );
    const last = trades.at(-1)?.price_ticks ?? known?.last_price_ticks;
    assertThat(
      last === undefined || last_price_ticks === last,
      `the last price of ${marketId} is not that of its last trade`,
    );
    this.digest.renew(known && figuresText(marketId, known), figuresText(marketId, figures));
    market.figures = figures;
  }
}

/** Of a taker that rests afterwards the limit is known. */
function checkTaker(
  { after }: Turn,
  { trade_id, taker_order_id, taker_side, taker, price_ticks }: PublicTrade,
): void {
  const end = after.get(taker_order_id);
  if (end === undefined) return;
  assertThat(
    end.side === taker_side && end.trader === taker,
    `trade ${trade_id} is not by the order that it names`,
  );
  if (end.queue_sequence > trade_id) return;
  const isWithin = taker_side === 'buy' ? price_ticks <= end.price_ticks : price_ticks >= end.price_ticks;
  assertThat(isWithin, `trade ${trade_id} is beyond the limit of order ${taker_order_id}`);
}

function assertWhole(...values: readonly unknown[]): void {
  for (const value of values)
    assertThat(
      Number.isSafeInteger(value) && (value as number) > 0,
      `${String(value)} is no whole number above zero`,
    );
}

function assertThat(holds: boolean, fault: string): asserts holds {
  if (!holds) throw new Error(fault);
}
