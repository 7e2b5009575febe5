/** Plan and book, the very code that the engine runs, on bare orders and without a ledger. */
import type { Side } from '../src/domain/engine/types.js';
import { planMatch, type PlanEntry } from '../src/domain/matching/match-plan.js';
import { type Level, OrderBook } from '../src/domain/matching/order-book.js';

export type StreamCommand =
  | {
      readonly kind: 'order';
      readonly id: number;
      readonly side: Side;
      readonly ticks: number;
      readonly lots: number;
    }
  | { readonly kind: 'cancel'; readonly id: number };

/** What the matching needs of an order, and nothing of what the ledger would. */
class BareOrder implements PlanEntry<BareOrder> {
  level: Level<BareOrder> | null = null;
  previous: BareOrder | null = null;
  next: BareOrder | null = null;
  readonly owner = null;
  readonly reduceOnly = false;
  readonly expiresAtMs = null;
  readonly displayLots = Infinity;
  hiddenLots = 0;

  constructor(
    readonly orderId: number,
    readonly accountId: number,
    readonly side: Side,
    public priceTicks: number,
    public remainingLots: number,
  ) {}

  get shownLots(): number {
    return this.remainingLots;
  }
}

export class BareMatching {
  trades = 0;
  lotsTraded = 0;
  /** What rests. */
  readonly orders = new Map<number, BareOrder>();
  private readonly book = new OrderBook<BareOrder>();

  apply(command: StreamCommand): void {
    if (command.kind === 'cancel') this.cancel(command.id);
    else this.place(command.id, command.side, command.ticks, command.lots);
  }

  private place(orderId: number, side: Side, limitTicks: number, lots: number): void {
    const makers = this.book.oppositeOf(side);
    // One account for each order, so self-trade prevention never applies.
    const accountId = orderId;
    const plan = planMatch(
      makers,
      {
        accountId,
        owner: null,
        side,
        timeMs: 0,
        limitTicks,
        atLimit: null,
        lots,
        selfTradePrevention: 'cancel_newest',
        reducibleLots: Infinity,
        budget: null,
      },
      unlimited,
    );
    for (const step of plan.steps) {
      if (step.kind !== 'fill') throw new Error(`a ${step.kind} where only fills can be`);
      makers.reduce(step.maker, step.lots);
      this.trades++;
      this.lotsTraded += step.lots;
      if (step.maker.remainingLots === 0) this.orders.delete(step.maker.orderId);
    }
    if (plan.remainingLots === 0) return;
    const order = new BareOrder(orderId, accountId, side, limitTicks, plan.remainingLots);
    this.book.sideOf(side).add(order);
    this.orders.set(orderId, order);
  }

  private cancel(orderId: number): void {
    const order = this.orders.get(orderId)!;
    this.book.sideOf(order.side).remove(order);
    this.orders.delete(orderId);
  }
}

const unlimited = (): number => Infinity;
