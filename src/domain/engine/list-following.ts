/**
 * Order lists: what follows for the other orders of a list where one of them trades, triggers or ends.
 *
 * - Of two exits, the first that trades, or whose stop triggers, ends the other one, and what is left of the entry.
 * - The entry arms the exits: they are as large as what it has filled, whatever becomes of its rest. Where nothing of it
 *   can fill any more, they end with it.
 * - An exit that ends otherwise ends the whole list, but for one that is `rejected`: the other stays.
 *
 * All of that happens in the command that caused it.
 */
import type { Context } from './context.js';
import { cancel, rest, withdrawQuotes } from './entering.js';
import { endOrder, markChanged } from './execution.js';
import { checkExitFunds } from './funds.js';
import { settleHolds } from './holds.js';
import { checkMarketRoom, checkPositionRoom } from './room.js';
import { positionOf } from './acceptance.js';
import type { EngineState, Order } from './state.js';
import { addStop } from './stops.js';
import type { StatusReason } from './types.js';

/** Brings quotes, lists and holds up to what a command has done so far. */
export function settle(context: Context): void {
  withdrawQuotes(context);
  followLists(context);
  settleHolds(context);
}

/** Ends what the orders that have changed leave no place for, and notes the entries that arm exits. */
export function followLists(context: Context): void {
  const { listed, entries } = context.unsettled;
  for (const order of listed) {
    listed.delete(order);
    if (order.statusReason === 'order_list') continue;
    if (order.isExit ? hasEnded(order) || hasBegun(order) : order.filledLots === 0 && !order.isLive) {
      for (const other of endedBy(context.state, order)) cancel(context, other, 'order_list');
    } else if (!order.isExit && order.filledLots > 0) {
      entries.add(order);
    }
  }
}

/** The orders that end where this one is cancelled, or trades as an exit. */
export function endedBy(state: EngineState, order: Order): Order[] {
  return order.isExit || order.filledLots === 0 ? [...state.othersInList(order)] : [];
}

function hasEnded({ isLive, status }: Order): boolean {
  return !isLive && status !== 'rejected';
}

function hasBegun({ filledLots, isLive, isStop, status, statusReason }: Order): boolean {
  return filledLots > 0 || (isLive && isStop && (status !== 'untriggered' || statusReason === 'triggered'));
}

/** Arms the exits of entries that have filled more. */
export function armExits(context: Context): void {
  const { entries } = context.unsettled;
  for (const entry of entries) {
    entries.delete(entry);
    for (const exit of [...context.state.othersInList(entry)]) {
      arm(context, exit, entry.filledLots);
      settle(context);
    }
  }
}

/** Makes an exit as large as what the entry has filled; one that cannot be is `rejected`, or stays as it is. */
function arm(context: Context, exit: Order, sizeLots: number): void {
  const { awaitsEntry } = exit;
  const moreLots = awaitsEntry ? sizeLots : sizeLots - exit.sizeLots;
  if (moreLots <= 0) return;
  const lots = exit.remainingLots + moreLots;
  const position = positionOf(context, exit);
  const refused =
    checkPositionRoom(context, position, exit.side, moreLots) ??
    (exit.isStop
      ? null
      : checkMarketRoom(context, exit, position.share, lots, exit.level === null ? 0 : exit.remainingLots)) ??
    checkExitFunds(context, exit, lots);
  if (refused === null) {
    if (awaitsEntry) begin(context, exit, sizeLots);
    else grow(context, exit, moreLots);
  } else if (awaitsEntry) {
    exit.sizeLots = sizeLots;
    exit.remainingLots = sizeLots;
    endOrder(context, exit, 'rejected', refused.code as StatusReason);
  }
}

function begin(context: Context, exit: Order, sizeLots: number): void {
  exit.sizeLots = sizeLots;
  exit.remainingLots = sizeLots;
  exit.statusReason = null;
  if (exit.isStop) {
    addStop(exit);
    markChanged(context, exit);
  } else if (crosses(exit)) {
    // It trades in its turn, like a stop that has triggered.
    exit.statusReason = 'triggered';
    exit.market.stops.addTriggered(exit);
    markChanged(context, exit);
  } else {
    context.state.startStop(exit);
    exit.queueSequence = ++context.state.sequence;
    rest(context, exit);
  }
}

function grow(context: Context, exit: Order, moreLots: number): void {
  const { level, market, side } = exit;
  if (level !== null) market.book.sideOf(side).remove(exit);
  exit.sizeLots += moreLots;
  exit.remainingLots += moreLots;
  if (level === null) return markChanged(context, exit);
  exit.queueSequence = ++context.state.sequence;
  rest(context, exit);
}

function crosses({ market, side, priceTicks }: Order): boolean {
  const opposite = market.book.oppositeOf(side);
  const best = opposite.best();
  return best !== undefined && opposite.crosses(best, priceTicks);
}
