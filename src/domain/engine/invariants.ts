/**
 * Invariants that production checks after every batch, on all that the batch changed, before the commit. A violation is
 * a fault of the engine: nothing of the batch becomes durable, and if a single command is found to violate one, its
 * market is halted.
 */
import { InvariantError } from '../invariant-error.js';
import type { Changes } from './changes.js';
import { accountOf, poolOf } from './context.js';
import { owedByGroup, owedByPool } from './settlement.js';
import type { Balance, EngineState, EventGroup, Market, Order } from './state.js';

export function checkInvariants(state: EngineState, changes: Changes): void {
  for (const balance of changes.balances) checkBalance(state, balance);
  for (const order of changes.orders) checkOrder(order);
  for (const position of changes.positions) {
    if (!Number.isSafeInteger(position.sizeLots) || position.costBasis < 0n) {
      throw new InvariantError(`the position of account ${position.accountId} is out of range`);
    }
  }
  for (const market of changes.markets) checkMarket(state, market);
  for (const group of new Set(changes.markets.map((market) => market.group)))
    if (group !== null) checkGroup(state, group);
}

function checkBalance(state: EngineState, { accountId, asset, available, held }: Balance): void {
  if (held < 0n) throw new InvariantError(`account ${accountId} holds ${held} ${asset}`);
  if (available < 0n && accountOf(state, accountId).kind !== 'external') {
    throw new InvariantError(`account ${accountId} has ${available} ${asset} available`);
  }
}

function checkOrder(order: Order): void {
  const isWhole =
    Number.isSafeInteger(order.remainingLots) &&
    order.filledLots >= 0 &&
    order.remainingLots >= 0 &&
    order.filledLots + order.remainingLots <= order.sizeLots;
  if (!isWhole) throw new InvariantError(`order ${order.orderId} has impossible sizes`);
  if (order.held < 0n || (!order.isLive && order.held !== 0n)) {
    throw new InvariantError(`order ${order.orderId} (${order.status}) holds ${order.held}`);
  }
}

function checkMarket(state: EngineState, market: Market): void {
  const { marketId, quoteAsset } = market.definition;
  const bid = market.book.bids.best();
  const ask = market.book.asks.best();
  if (bid !== undefined && ask !== undefined && bid.priceTicks >= ask.priceTicks) {
    throw new InvariantError(`the book of ${marketId} is crossed: ${bid.priceTicks} >= ${ask.priceTicks}`);
  }
  if (!market.isEvent) return;
  if (market.openInterestLots < 0 || market.shortLots < 0) {
    throw new InvariantError(
      `${marketId} has ${market.openInterestLots} lots long and ${market.shortLots} short`,
    );
  }
  if (market.group !== null) return;
  const pool = poolOf(state, market).balanceOf(quoteAsset);
  if (pool.available !== owedByPool(market)) {
    throw new InvariantError(
      `the pool of ${marketId} has ${pool.available} units for an open interest of ${market.openInterestLots} lots`,
    );
  }
}

function checkGroup(state: EngineState, group: EventGroup): void {
  const pool = accountOf(state, group.poolAccountId).balanceOf(group.quoteAsset);
  if (pool.available !== owedByGroup(state, group)) {
    throw new InvariantError(
      `the pool of the group ${group.groupId} has ${pool.available} units and owes ${owedByGroup(state, group)}`,
    );
  }
}
