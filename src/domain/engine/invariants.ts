/**
 * Invariants that production checks after every batch, on all that the batch changed, before the commit. A violation is
 * a fault of the engine: nothing of the batch becomes durable, and if a single command is found to violate one, its
 * market is halted.
 */
import { InvariantError } from '../invariant-error.js';
import type { Changes } from './changes.js';
import { accountOf, poolOf } from './context.js';
import { owedByPool } from './settlement.js';
import type { Balance, EngineState, Market, Order } from './state.js';

export function checkInvariants(state: EngineState, changes: Changes): void {
  for (const balance of changes.balances) checkBalance(state, balance);
  for (const order of changes.orders) checkOrder(order);
  for (const position of changes.positions) {
    if (!Number.isSafeInteger(position.sizeLots) || position.costBasis < 0n) {
      throw new InvariantError(`the position of account ${position.accountId} is out of range`);
    }
  }
  for (const market of changes.markets) checkMarket(state, market);
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
  const pool = poolOf(state, market).balanceOf(quoteAsset);
  if (
    pool.available !== owedByPool(market) ||
    market.openInterestLots < 0 ||
    (market.owedShortLots ?? 0) < 0
  ) {
    throw new InvariantError(
      `the pool of ${marketId} has ${pool.available} units for an open interest of ${market.openInterestLots} lots`,
    );
  }
}
