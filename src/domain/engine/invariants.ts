/**
 * Invariants that production checks: after every command on what it has touched, and after every batch, before the
 * commit, on all that the batch has changed. A violation is a fault of the engine: nothing of the batch becomes durable,
 * the state is loaded again, and if a single command is found to violate one, its market is halted.
 *
 * What every step must keep is asserted where it happens. Sums over all accounts are left to `ledger-check.ts`.
 */
import { invariant } from '../invariant.js';
import { UNITS_PER_ONE } from '../money/amount.js';
import type { Changes } from './changes.js';
import { accountOf, type Context, poolOf } from './context.js';
import { requiredHold, termsOf } from './holds.js';
import { owedByGroup, owedByPool } from './settlement.js';
import type { Balance, EngineState, EventGroup, Market, Order, Position } from './state.js';

/** Where a command began: what it has made stands behind. One of each engine, for one command after the other. */
export class CommandMark {
  sequence = 0;
  transfers = 0;
  trades = 0;
  /** What each asset has changed by in all. */
  readonly sums: { readonly asset: string; units: bigint }[] = [];

  set(sequence: number, { transfers, trades }: Changes): void {
    this.sequence = sequence;
    this.transfers = transfers.length;
    this.trades = trades.length;
  }
}

/** A refusal has changed nothing, or at least moved nothing and taken no number. */
export function checkRefused({ state, changes, unsettled }: Context, mark: CommandMark): void {
  invariant(state.sequence === mark.sequence, 'a refused command takes no number', state.sequence);
  invariant(
    changes.transfers.length === mark.transfers &&
      changes.trades.length === mark.trades &&
      changes.moved.length === 0 &&
      !changes.isInCommand &&
      unsettled.orders.size === 0,
    'a refused command changes nothing',
    mark.sequence,
  );
}

/** After a command that was carried out; `touched` are the markets whose books or statuses it has changed. */
export function checkApplied(
  { state, changes, unsettled }: Context,
  mark: CommandMark,
  touched: readonly Market[],
): void {
  invariant(
    unsettled.orders.size === 0 &&
      unsettled.positions.size === 0 &&
      unsettled.listed.size === 0 &&
      unsettled.filled.size === 0 &&
      unsettled.tripped.size === 0,
    'a command settles all that it has begun',
    mark.sequence,
  );
  checkNumbers(state, changes, mark);
  if (changes.transfers.length > mark.transfers) checkTotals(changes.moved, mark.sums);
  checkMoved(state, changes.moved);
  for (const market of touched) checkMarket(state, market);
}

/** Trades and transfers have numbers of their own, after that of their command. */
function checkNumbers({ sequence }: EngineState, { transfers, trades }: Changes, mark: CommandMark): void {
  let last = mark.sequence;
  for (let index = mark.transfers; index < transfers.length; index++) {
    const { transferId } = transfers[index]!;
    invariant(transferId > last, 'transfers are numbered in their order', transferId, last);
    last = transferId;
  }
  invariant(last <= sequence, 'the sequence counts all transfers', last, sequence);
  last = mark.sequence;
  for (let index = mark.trades; index < trades.length; index++) {
    const { tradeId } = trades[index]!;
    invariant(tradeId > last, 'trades are numbered in their order', tradeId, last);
    last = tradeId;
  }
  invariant(last <= sequence, 'the sequence counts all trades', last, sequence);
}

/** Only the outside world may owe money. */
function checkMoved(state: EngineState, moved: Balance[]): void {
  for (const balance of moved) {
    const { accountId, asset, available } = balance;
    invariant(
      available >= 0n || accountOf(state, accountId).kind === 'external',
      'only the outside world may be below zero',
      accountId,
      asset,
      available,
    );
    balance.isMoved = false;
  }
  moved.length = 0;
}

/** What some accounts have lost the others have gained, whatever the transfers say. */
function checkTotals(moved: readonly Balance[], sums: CommandMark['sums']): void {
  for (const balance of moved) {
    const total = balance.available + balance.held;
    if (total === balance.settledTotal) continue;
    addUp(sums, balance.asset, total - balance.settledTotal);
    balance.settledTotal = total;
  }
  for (const { asset, units } of sums)
    invariant(units === 0n, 'the transfers of a command add up to zero', asset, units);
  sums.length = 0;
}

function addUp(sums: CommandMark['sums'], asset: string, units: bigint): void {
  for (const sum of sums) {
    if (sum.asset !== asset) continue;
    sum.units += units;
    return;
  }
  sums.push({ asset, units });
}

export function checkBatch(state: EngineState, changes: Changes): void {
  invariant(changes.moved.length === 0 && !changes.isInCommand, 'a batch ends between commands');
  for (const order of changes.orders) checkOrder(order);
  for (const position of changes.positions) checkPosition(position);
  for (const market of changes.markets) checkMarket(state, market);
  for (const group of new Set(changes.markets.map((market) => market.group)))
    if (group !== null) checkGroup(state, group);
}

function checkOrder(order: Order): void {
  const { orderId, status, sizeLots, filledLots, remainingLots, isLive } = order;
  invariant(
    Number.isSafeInteger(remainingLots) &&
      filledLots >= 0 &&
      remainingLots >= 0 &&
      filledLots + remainingLots <= sizeLots,
    'an order is no larger than it was accepted',
    orderId,
    filledLots,
    remainingLots,
  );
  if (filledLots > 0) checkFilled(order);
  const isOpen = status === 'open' || status === 'partially_filled';
  invariant(
    isOpen === (order.level !== null) && (!isOpen || remainingLots > 0),
    'an order is in the book while it is open',
    orderId,
    status,
    remainingLots,
  );
  invariant(
    !isOpen || order.hiddenLots === remainingLots - order.shownLots,
    'the book hides what an order does not show',
    orderId,
    order.hiddenLots,
  );
  invariant(
    order.countedLots === (isLive ? remainingLots : 0),
    'what is left of live orders is counted',
    orderId,
    status,
    order.countedLots,
  );
  checkHold(order);
}

function checkFilled({ orderId, filledLots, filledNotional, feeRounding }: Order): void {
  invariant(filledNotional > 0n, 'what has traded had a price', orderId, filledLots);
  invariant(
    feeRounding >= 0n && feeRounding < UNITS_PER_ONE,
    'the fee of an order is rounded up once',
    orderId,
    feeRounding,
  );
}

/**
 * The stop of two exits is left out, since what it holds follows from the other one; and so is an order that is new and
 * has not traded, since its hold has just been worked out from the same terms.
 */
function checkHold(order: Order): void {
  const { orderId, held, coveredLots } = order;
  invariant(
    coveredLots >= 0 && coveredLots <= order.remainingLots,
    'no more of an order is covered than is left',
    orderId,
    coveredLots,
  );
  if (order.isExit && order.isStop) return;
  if (order.isLive && !order.stored && order.filledLots === 0) return;
  const needed = order.isLive && order.hasPrice ? requiredHold(order.market, termsOf(order)) : 0n;
  invariant(held === needed, 'a live order holds what its rest can cost, any other nothing', orderId, held);
}

function checkPosition({ accountId, sizeLots, costBasis, settledLots }: Position): void {
  invariant(
    Number.isSafeInteger(sizeLots) && costBasis >= 0n && (sizeLots !== 0 || costBasis === 0n),
    'a position has a size, and its cost while it is open',
    accountId,
    sizeLots,
    costBasis,
  );
  invariant(settledLots === 0 || sizeLots === 0, 'nothing is open of what was settled', accountId, sizeLots);
}

function checkMarket(state: EngineState, market: Market): void {
  const { marketId } = market.definition;
  const { status, book } = market;
  const bid = book.bids.best();
  const ask = book.asks.best();
  invariant(
    bid === undefined || ask === undefined || bid.priceTicks < ask.priceTicks,
    'no book is crossed',
    marketId,
    bid?.priceTicks,
    ask?.priceTicks,
  );
  invariant(
    (bid === undefined && ask === undefined) || status === 'open' || status === 'halted',
    'a market that has closed has no orders',
    marketId,
    status,
  );
  if (market.isEvent) checkContracts(state, market);
}

function checkContracts(state: EngineState, market: Market): void {
  const { marketId, quoteAsset } = market.definition;
  const { openInterestLots, shortLots } = market;
  invariant(
    openInterestLots >= 0 && shortLots >= 0,
    'no fewer contracts are open than none',
    marketId,
    openInterestLots,
    shortLots,
  );
  invariant(
    market.status !== 'settled' || (openInterestLots === 0 && market.settlementValue !== null),
    'a market is settled at a value once everybody is paid',
    marketId,
    openInterestLots,
  );
  if (market.group !== null) return;
  const { available } = poolOf(state, market).balanceOf(quoteAsset);
  const owed = owedByPool(market);
  invariant(available === owed, 'the pool of a market has what it owes', marketId, available, owed);
}

function checkGroup(state: EngineState, group: EventGroup): void {
  const { groupId, setsLots } = group;
  invariant(Number.isSafeInteger(setsLots), 'the sets of a group are counted', groupId, setsLots);
  const { available } = accountOf(state, group.poolAccountId).balanceOf(group.quoteAsset);
  const owed = owedByGroup(state, group);
  invariant(available === owed, 'the pool of a group has what it owes', groupId, available, owed);
}
