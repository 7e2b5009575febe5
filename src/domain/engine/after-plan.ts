/** The state as an accepted order would leave it, as far as the exits that it arms depend on it. Changes nothing. */
import { type BookSide, shownLotsOf } from '../matching/order-book.js';
import type { Acceptance } from './acceptance.js';
import type { Refusal } from './commands.js';
import { accountOf, type Context } from './context.js';
import { eventCost, insufficientFunds } from './funds.js';
import { beyond, isCovered, otherExitNeeds, requiredHold, termsOf } from './holds.js';
import { wouldTrip } from './maker-protection.js';
import { endedBy } from './list-following.js';
import type { OrderPreview } from './preview-order.js';
import type { Share } from './party.js';
import { checkMarketRoom, checkPositionRoom } from './room.js';
import type { Account, Order, Position } from './state.js';
import type { Side } from './types.js';

/** What a plan leaves of an order that it meets, or ends. */
interface Left {
  readonly remainingLots: number;
  readonly filledLots: number;
}

export class AfterPlan {
  private readonly order: Order;
  private readonly account: Account;
  /** The account's position as it will be. */
  private readonly position: Pick<Position, 'sizeLots' | 'openLots'>;
  /** And what its party's orders could still trade then. */
  private readonly share: Pick<Share, 'openLots'>;
  /** Orders that the plan changes, and those of the account that end with them. */
  private readonly left = new Map<Order, Left>();
  /** Contracts that it opens in the market. */
  private readonly openedLots: number;
  /** What the account can hold for exits. */
  private available: bigint;
  /** What the exits that are armed hold. */
  private armedHold = 0n;

  constructor(
    private readonly context: Context,
    private readonly accepted: Acceptance,
    private readonly entry: OrderPreview,
  ) {
    this.order = accepted.order;
    const { accountId, market, side } = this.order;
    this.account = accountOf(context.state, accountId);
    this.noteLeft();
    const position = this.account.positionIn(market);
    this.position = {
      sizeLots: position.sizeLots + (side === 'buy' ? entry.filledLots : -entry.filledLots),
      openLots: this.openLotsOf(position, this.ownLeft()),
    };
    const { party } = this.account;
    this.share = {
      openLots: this.openLotsOf(
        position.share,
        [...this.left].filter(([order]) => order.party === party),
      ),
    };
    this.openedLots = this.countOpened();
    this.available = this.availableAfter();
  }

  /** What the exit must hold. */
  holdOf(exit: Order): bigint {
    if (!exit.hasPrice) return 0n;
    const { market, side, remainingLots } = exit;
    const own = requiredHold(market, termsOf(exit, remainingLots, this.coverFor(side, remainingLots)));
    return exit.isStop ? beyond(own, this.armedHold) : own;
  }

  /** Why the exit cannot be armed. */
  check(exit: Order, hold: bigint): Refusal | null {
    const { market, side, remainingLots } = exit;
    const gone = [...this.left].filter(([order]) => order.level !== null && order.side === side);
    const goneLots = gone.reduce((sum, [order, left]) => sum + order.remainingLots - left.remainingLots, 0);
    return (
      checkPositionRoom(this.context, this.position, side, remainingLots) ??
      (exit.isStop
        ? null
        : checkMarketRoom(
            this.context,
            exit,
            this.share,
            remainingLots,
            goneLots,
            market.isEvent ? this.openedLots : 0,
          )) ??
      (hold <= 0n || this.available >= hold ? null : insufficientFunds(exit.heldAsset))
    );
  }

  arm(exit: Order, hold: bigint): void {
    this.available -= hold;
    this.armedHold += hold;
    for (const { openLots } of [this.position, this.share]) openLots[exit.side] += exit.remainingLots;
  }

  /** Whether an order of the other side stands at the exit's price or better. */
  crosses(exit: Order): boolean {
    const { entry, order } = this;
    const side = exit.market.book.oppositeOf(exit.side);
    const rests = entry.status === 'open' || entry.status === 'partially_filled';
    if (rests && isAsGood(side, order.priceTicks, exit.priceTicks)) return true;
    for (let index = side.levels.length - 1; index >= 0; index--) {
      const level = side.levels[index]!;
      if (!side.crosses(level, exit.priceTicks)) return false;
      if (this.hasLotsLeft(level.head)) return true;
    }
    return false;
  }

  /** Lots that the level at the exit's price would show before it. */
  shownLotsAt(exit: Order): number {
    const level = exit.market.book.sideOf(exit.side).levelAt(exit.priceTicks);
    if (level === undefined) return 0;
    let { shownLots } = level;
    for (const [order, { remainingLots, filledLots }] of this.left) {
      if (order.level !== level) continue;
      shownLots -= order.shownLots - shownLotsOf(remainingLots, filledLots, order.displayLots);
    }
    return shownLots;
  }

  private hasLotsLeft(head: Order | null): boolean {
    for (let order = head; order !== null; order = order.next)
      if ((this.left.get(order) ?? order).remainingLots > 0) return true;
    return false;
  }

  private noteLeft(): void {
    const { left, account } = this;
    for (const step of this.accepted.plan.steps) {
      const { maker } = step;
      const { remainingLots, filledLots } = left.get(maker) ?? maker;
      if (step.kind === 'fill')
        left.set(maker, { remainingLots: remainingLots - step.lots, filledLots: filledLots + step.lots });
      else
        left.set(maker, {
          remainingLots: step.kind === 'decrement' ? remainingLots - step.lots : 0,
          filledLots,
        });
    }
    for (const quote of this.quotesTripped())
      left.set(quote, { remainingLots: 0, filledLots: (left.get(quote) ?? quote).filledLots });
    for (const [maker, { remainingLots }] of [...left]) {
      if (maker.accountId !== account.accountId || remainingLots > 0) continue;
      for (const other of endedBy(this.context.state, maker))
        left.set(other, { remainingLots: 0, filledLots: other.filledLots });
    }
  }

  /** Quotes in the market whose makers' protection cancels them, for the plan fills too many of them. */
  private *quotesTripped(): Generator<Order> {
    const { context, accepted, order } = this;
    const fills = new Map<number, number>();
    for (const { kind, maker } of accepted.plan.steps)
      if (kind === 'fill' && maker.isMassQuote)
        fills.set(maker.accountId, (fills.get(maker.accountId) ?? 0) + 1);
    for (const [accountId, count] of fills) {
      if (!wouldTrip(context, accountId, count)) continue;
      for (const quote of accountOf(context.state, accountId).massQuotes.values())
        if (quote.market === order.market) yield quote;
    }
  }

  private ownLeft(): [Order, Left][] {
    return [...this.left].filter(([order]) => order.accountId === this.account.accountId);
  }

  private openLotsOf(of: Pick<Share, 'openLots'>, left: readonly [Order, Left][]): Record<Side, number> {
    const openLots = { ...of.openLots };
    for (const [order, { remainingLots }] of left) openLots[order.side] -= order.countedLots - remainingLots;
    return openLots;
  }

  /** The change of the sum of all long positions. */
  private countOpened(): number {
    const { market, side } = this.order;
    const before = (account: Account): number =>
      account.positions.get(market.definition.marketId)?.sizeLots ?? 0;
    const longer = (sizeLots: number, moreLots: number): number =>
      Math.max(0, sizeLots + moreLots) - Math.max(0, sizeLots);
    const sign = side === 'buy' ? 1 : -1;
    const traded = new Map<number, number>();
    for (const step of this.accepted.plan.steps) {
      if (step.kind !== 'fill') continue;
      const { accountId } = step.maker;
      traded.set(accountId, (traded.get(accountId) ?? 0) - sign * step.lots);
    }
    let opened = longer(before(this.account), sign * this.entry.filledLots);
    for (const [accountId, lots] of traded)
      opened += longer(before(accountOf(this.context.state, accountId)), lots);
    return opened;
  }

  private availableAfter(): bigint {
    const { account, accepted, entry, order } = this;
    const { market } = order;
    if (market.isEvent) {
      const left = this.ownLeft()
        .filter(([own]) => isCovered(own))
        .map(([own, { remainingLots }]) => ({ order: own, priceTicks: own.priceTicks, lots: remainingLots }));
      const available = account.balances.get(market.definition.quoteAsset)?.available ?? 0n;
      return available - eventCost(account, order, accepted.plan, left) - entry.hold.amount;
    }
    const asset = order.side === 'buy' ? market.definition.baseAsset! : market.definition.quoteAsset;
    const gained = order.side === 'buy' ? market.sizeOf(entry.filledLots) : entry.filledNotional - entry.fees;
    return (account.balances.get(asset)?.available ?? 0n) + gained + this.releasedOf(asset);
  }

  /** What the account's other orders hold less of an asset on a spot market. */
  private releasedOf(asset: string): bigint {
    let released = 0n;
    for (const [own, { remainingLots }] of this.ownLeft()) {
      if (own.heldAsset !== asset) continue;
      const needed = remainingLots === 0 ? 0n : requiredHold(own.market, termsOf(own, remainingLots));
      const other = own.isStop ? otherExitNeeds(this.context.state, own) : 0n;
      released += own.held - beyond(needed, other);
      if (!own.isExit || own.isStop || remainingLots === 0) continue;
      // Its stop holds what it needs beyond this one.
      for (const stop of this.context.state.othersInList(own)) {
        if (stop.isExit && stop.hasPrice)
          released += stop.held - beyond(requiredHold(stop.market, termsOf(stop)), needed);
      }
    }
    return released;
  }

  /** Lots of the position that cover no earlier order. */
  private coverFor(side: Side, lots: number): number {
    const { market } = this.order;
    if (!market.isEvent) return 0;
    const { sizeLots } = this.position;
    let { totalLots } = this.account.positionIn(market).cover[side];
    for (const [own, { remainingLots }] of this.ownLeft())
      if (own.side === side && isCovered(own)) totalLots -= own.remainingLots - remainingLots;
    const reducible = Math.max(0, side === 'buy' ? -sizeLots : sizeLots);
    return Math.min(lots, Math.max(0, reducible - totalLots));
  }
}

function isAsGood(side: BookSide<Order>, priceTicks: number, limitTicks: number): boolean {
  return side.side === 'buy' ? priceTicks >= limitTicks : priceTicks <= limitTicks;
}
