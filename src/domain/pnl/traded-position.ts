/**
 * An account's trades in one market, fill by fill, with two methods for the cost of closed lots. Average cost is the
 * engine's own accounting and equals its stored positions exactly; first in, first out closes the oldest lots first,
 * and is exact. Both agree whenever the position is flat.
 *
 * Money is in units of 10^-18 of the quote asset. Realized is before fees. In event markets too, a short of s contracts
 * at p has the cost p·s, like a long: the seller's payment, (1−p)·s, is its counterpart.
 */
import { invariant } from '../invariant.js';
import { splitFill } from '../engine/positions.js';
import type { Side } from '../engine/types.js';
import { UNITS_PER_ONE } from '../money/amount.js';
import { type ClosedLots, OpenLots, type QueueHead } from './open-lots.js';

export const COST_METHODS = ['average_cost', 'fifo'] as const;
export type CostMethod = (typeof COST_METHODS)[number];

/** The totals of one method. */
export interface CostTotals {
  /** Entry value of the open size: sum of price times size, never negative. */
  readonly costBasis: bigint;
  /** Gains and losses of all closed lots. */
  readonly realizedPnl: bigint;
}

/** Running totals after a fill. */
export interface PositionTotals extends Readonly<Record<CostMethod, CostTotals>> {
  /** Signed: positive is long. */
  readonly sizeLots: number;
  readonly fees: bigint;
  /** Null if nothing is open. */
  readonly head: QueueHead | null;
}

const NOTHING: CostTotals = { costBasis: 0n, realizedPnl: 0n };

export const NOTHING_TRADED: PositionTotals = {
  sizeLots: 0,
  fees: 0n,
  head: null,
  average_cost: NOTHING,
  fifo: NOTHING,
};

export interface PositionFill {
  readonly sequence: number;
  readonly side: Side;
  readonly lots: number;
  readonly price: bigint;
  readonly fee: bigint;
}

/** A position, updated fill by fill. */
export class TradedPosition {
  private constructor(
    /** Of the market, in units of 10^-18. */
    private readonly lotSize: bigint,
    private current: PositionTotals,
    readonly queue: OpenLots,
  ) {}

  /** Continues a position from the totals after its last fill. */
  static from(lotSize: bigint, totals: PositionTotals = NOTHING_TRADED): TradedPosition {
    return new TradedPosition(lotSize, totals, OpenLots.from(totals.head));
  }

  get totals(): PositionTotals {
    return this.current;
  }

  /** Books a fill; returns how many lots it opened. The queue must have the lots that the fill closes. */
  fill({ sequence, side, lots, price, fee }: PositionFill): { readonly openedLots: number } {
    const { closedLots, openedLots } = splitFill(this.current, side, lots);
    if (closedLots > 0) this.close(closedLots, price);
    if (openedLots > 0) this.open({ sequence, lots: openedLots, price }, side);
    this.current = { ...this.current, fees: this.current.fees + fee, head: this.queue.head };
    checkTotals(sequence, this.current);
    return { openedLots };
  }

  /** Closes everything at the settlement value; returns the signed number of lots. */
  settle(value: bigint): number {
    const { sizeLots } = this.current;
    if (sizeLots !== 0) this.close(Math.abs(sizeLots), value);
    this.current = { ...this.current, head: null };
    return sizeLots;
  }

  /** Corrects a settlement from one value to another; `lots` is the signed size at the settlement. */
  correctSettlement(lots: number, from: bigint, to: bigint): void {
    const gained = this.valueOf(lots, to) - this.valueOf(lots, from);
    const add = (totals: CostTotals): CostTotals => ({
      ...totals,
      realizedPnl: totals.realizedPnl + gained,
    });
    const { average_cost, fifo } = this.current;
    this.current = { ...this.current, average_cost: add(average_cost), fifo: add(fifo) };
  }

  private open(lot: { sequence: number; lots: number; price: bigint }, side: Side): void {
    this.queue.open(lot);
    const cost = this.valueOf(lot.lots, lot.price);
    const add = (totals: CostTotals): CostTotals => ({ ...totals, costBasis: totals.costBasis + cost });
    const { sizeLots, average_cost, fifo } = this.current;
    this.current = {
      ...this.current,
      sizeLots: sizeLots + (side === 'buy' ? lot.lots : -lot.lots),
      average_cost: add(average_cost),
      fifo: add(fifo),
    };
  }

  private close(lots: number, price: bigint): void {
    const { sizeLots, average_cost, fifo } = this.current;
    const size = Math.abs(sizeLots);
    invariant(lots > 0 && lots <= size, 'no more of a position is closed than is open', lots, size);
    const isWhole = lots === size;
    const isLong = sizeLots > 0;
    const exitValue = this.valueOf(lots, price);
    const closeAt = ({ costBasis, realizedPnl }: CostTotals, cost: bigint): CostTotals => ({
      costBasis: costBasis - cost,
      realizedPnl: realizedPnl + (isLong ? exitValue - cost : cost - exitValue),
    });
    const averageCost = isWhole
      ? average_cost.costBasis
      : (average_cost.costBasis * BigInt(lots)) / BigInt(size);
    const fifoCost = isWhole ? fifo.costBasis : this.costOf(this.queue.close(lots));
    if (isWhole) this.queue.clear();
    this.current = {
      ...this.current,
      sizeLots: isLong ? sizeLots - lots : sizeLots + lots,
      average_cost: closeAt(average_cost, averageCost),
      fifo: closeAt(fifo, fifoCost),
    };
  }

  private costOf(closed: readonly ClosedLots[]): bigint {
    return closed.reduce((sum, { lots, price }) => sum + this.valueOf(lots, price), 0n);
  }

  /** Exact: a market's ticks and lots, and its settlement value and lots, have at most 18 decimals together. */
  private valueOf(lots: number, price: bigint): bigint {
    return (BigInt(lots) * this.lotSize * price) / UNITS_PER_ONE;
  }
}

/** What must hold after each fill, by either method. */
function checkTotals(sequence: number, { sizeLots, head, average_cost, fifo }: PositionTotals): void {
  invariant(
    Number.isSafeInteger(sizeLots) && (sizeLots === 0) === (head === null),
    'an open position has a queue of open lots',
    sequence,
    sizeLots,
  );
  for (const { costBasis } of [average_cost, fifo])
    invariant(
      costBasis >= 0n && (sizeLots !== 0 || costBasis === 0n),
      'a position has a cost while it is open',
      sequence,
      costBasis,
    );
  invariant(
    sizeLots !== 0 || average_cost.realizedPnl === fifo.realizedPnl,
    'both methods agree where nothing is open',
    sequence,
    average_cost.realizedPnl,
    fifo.realizedPnl,
  );
}
