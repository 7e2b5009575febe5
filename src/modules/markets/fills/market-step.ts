import { ComingCloses } from '../../../domain/pnl/coming-closes.js';
import type { TradedPosition } from '../../../domain/pnl/traded-position.js';
import type { MarketEvents } from '../market-data/market-fold.js';
import type { NewFill } from './fill-row.js';
import { isLeg, isTrade, type LegMovement, type Movement, type TradeMovement } from './movements.js';
import type { ClosedQueue } from './opening-fills.js';
import type { SettledHolder, SettlementRow } from './settled-holders.js';

/** What does not change in a market, in units of 10^-18. */
export interface MarketSizes {
  readonly tick: bigint;
  readonly lot: bigint;
}

/** What happens in one market within a step: movements become fills of positions. */
export class MarketStep {
  readonly marketId: string;
  readonly cursor: number;
  readonly movements: readonly Movement[];
  /** Those that move, by account. */
  readonly positions = new Map<number, TradedPosition>();

  constructor(
    { marketId, cursor, events }: MarketEvents<Movement>,
    readonly sizes: MarketSizes,
    /** Under which its positions are kept. */
    readonly prefix: string,
  ) {
    this.marketId = marketId;
    this.cursor = cursor;
    this.movements = events;
  }

  /** Of those whom trades and legs move. */
  accountIds(): ReadonlySet<number> {
    const accountIds = new Set<number>();
    for (const movement of this.movements) {
      if (isTrade(movement)) accountIds.add(movement.makerAccountId).add(movement.takerAccountId);
      else if (isLeg(movement)) accountIds.add(movement.accountId);
    }
    return accountIds;
  }

  /** The queues of which memory has a part, and how much of each the movements will close. */
  closedQueues(): ClosedQueue[] {
    const closes = new Map<number, ComingCloses>();
    for (const [accountId, { queue, totals }] of this.positions) {
      if (!queue.isWhole) closes.set(accountId, new ComingCloses(totals.sizeLots));
    }
    if (closes.size === 0) return [];
    for (const movement of this.movements) {
      if (isTrade(movement)) {
        const { makerAccountId, takerAccountId, takerSide, sizeLots } = movement;
        closes.get(makerAccountId)?.add(takerSide === 'buy' ? 'sell' : 'buy', sizeLots);
        closes.get(takerAccountId)?.add(takerSide, sizeLots);
      } else if (isLeg(movement)) closes.get(movement.accountId)?.add(movement.side, movement.sizeLots);
    }
    return [...closes].map(([accountId, { queuedLots }]) => ({
      marketId: this.marketId,
      accountId,
      queue: this.positions.get(accountId)!.queue,
      closedLots: queuedLots,
      until: this.cursor,
    }));
  }

  /** The maker's fill comes first. */
  tradeFills(trade: TradeMovement): [maker: NewFill, taker: NewFill] {
    const price = BigInt(trade.priceTicks) * this.sizes.tick;
    return [this.tradeFill(trade, 'maker', price), this.tradeFill(trade, 'taker', price)];
  }

  private tradeFill(trade: TradeMovement, liquidity: 'maker' | 'taker', price: bigint): NewFill {
    const isTaker = liquidity === 'taker';
    return this.book({
      marketId: this.marketId,
      accountId: isTaker ? trade.takerAccountId : trade.makerAccountId,
      sequence: trade.tradeId,
      kind: 'trade',
      orderId: isTaker ? trade.takerOrderId : trade.makerOrderId,
      side: isTaker === (trade.takerSide === 'buy') ? 'buy' : 'sell',
      liquidity,
      price,
      lots: trade.sizeLots,
      fee: isTaker ? trade.takerFee : trade.makerFee,
      bookSequence: trade.bookSequence,
      executedAtMs: trade.executedAtMs,
    });
  }

  /** A leg of a set is a fill at the price at which it was booked. */
  legFill({ legId, accountId, side, sizeLots, price, bookedAtMs }: LegMovement): NewFill {
    return this.book({
      marketId: this.marketId,
      accountId,
      sequence: legId,
      kind: 'set',
      orderId: null,
      side,
      liquidity: null,
      price,
      lots: sizeLots,
      fee: 0n,
      bookSequence: null,
      executedAtMs: bookedAtMs,
    });
  }

  settledFill(settlement: SettlementRow, { accountId, lots }: SettledHolder): NewFill {
    const position = this.positions.get(accountId)!;
    const { value, previousValue } = settlement;
    if (previousValue === null) position.settle(value);
    else position.correctSettlement(lots, previousValue, value);
    return {
      marketId: this.marketId,
      accountId,
      sequence: settlement.sequence,
      kind: previousValue === null ? 'settlement' : 'correction',
      orderId: null,
      side: lots > 0 ? 'sell' : 'buy',
      liquidity: null,
      price: value,
      lots: Math.abs(lots),
      openedLots: 0,
      fee: 0n,
      bookSequence: null,
      executedAtMs: settlement.settledAtMs,
      totals: position.totals,
    };
  }

  private book(fill: Omit<NewFill, 'openedLots' | 'totals'>): NewFill {
    const position = this.positions.get(fill.accountId)!;
    const { openedLots } = position.fill(fill);
    return { ...fill, openedLots, totals: position.totals };
  }
}
