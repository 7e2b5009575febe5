/**
 * Trades carry in their own rows what they have moved, instead of in three transfers or more each: the amounts, and the
 * balances after all of them. The assets are those of the market, and fees go to the one account of fees; everything else
 * follows, and `ledger-transfers.ts` tells the transfers again where they are read. Those that would not follow keep rows of
 * their own.
 */
import { invariant } from '../../domain/invariant.js';
import type { TransferReason } from '../../domain/engine/types.js';
import { CARRIED_COLUMNS, TRADE_COLUMNS, LEDGER_TRANSFER_COLUMNS } from '../tables/core-tables.js';
import { valueReader } from '../tables/table-row.js';
import type { Value } from '../tables/values.js';

const tradeFields = valueReader(TRADE_COLUMNS);
const transferFields = valueReader(LEDGER_TRANSFER_COLUMNS);
type TradeFields = ReturnType<typeof tradeFields>;
type TransferFields = ReturnType<typeof transferFields>;

const NOTHING: readonly Value[] = CARRIED_COLUMNS.map(() => null);

/**
 * Gives the trades of a commit the values of `CARRIED_COLUMNS`, and returns the transfers that keep rows of their own. Both
 * come in the order of their ids. Trades up to the sequence `after` carry nothing.
 */
export function carryTransfers(
  trades: readonly Value[][],
  transfers: readonly Value[][],
  after: number,
): Value[][] {
  const kept: Value[][] = [];
  let carriedCount = 0;
  let next = 0;
  for (const row of trades) {
    const trade = tradeFields(row);
    const reference = trade.tradeId.toString();
    const moves: TransferFields[] = [];
    while (next + moves.length < transfers.length) {
      const move = transferFields(transfers[next + moves.length]!);
      const isNext = move.transferId === trade.tradeId + 1 + moves.length && move.reference === reference;
      if (isNext) moves.push(move);
      else if (move.transferId < trade.tradeId) kept.push(transfers[next++]!);
      else break;
    }
    const carried = trade.tradeId > after ? carriedBy(trade, moves) : null;
    if (carried === null) kept.push(...transfers.slice(next, next + moves.length));
    else carriedCount += moves.length;
    next += moves.length;
    row.push(...(carried ?? NOTHING));
  }
  kept.push(...transfers.slice(next));
  invariant(
    kept.length + carriedCount === transfers.length,
    'each transfer is kept, or carried by a trade',
    kept.length,
    carriedCount,
    transfers.length,
  );
  return kept;
}

/** What the trade carries; null where its transfers would not follow from that. In the order of `execution.ts`. */
function carriedBy(trade: TradeFields, moves: readonly TransferFields[]): readonly Value[] | null {
  const { makerAccountId, takerAccountId, makerFee, takerFee } = trade;
  const [first, second] = moves;
  if (first === undefined) return null;
  const taking = new Taking(moves, trade.executedAtMs);
  const maker = new Purse(makerAccountId, first.asset);
  const taker = new Purse(takerAccountId, first.asset);
  const pool = new Purse(null, first.asset);
  const fees = new Purse(null, first.asset);
  const base = second?.asset ?? first.asset;
  const [makerBase, takerBase] = [new Purse(makerAccountId, base), new Purse(takerAccountId, base)];
  let makerPaid: bigint | null;
  let makerReceived: bigint | null = null;
  let takerPaid: bigint | null;
  let takerReceived: bigint | null = null;
  if (first.reason !== 'trade') {
    makerPaid = taking.next('event_open', maker, pool);
    makerReceived = taking.next('event_close', pool, maker);
    takerPaid = taking.next('event_open', taker, pool);
    takerReceived = taking.next('event_close', pool, taker);
  } else if (trade.takerSide === 'buy') {
    takerPaid = taking.next('trade', taker, maker);
    makerPaid = taking.next('trade', makerBase, takerBase);
  } else {
    makerPaid = taking.next('trade', maker, taker);
    takerPaid = taking.next('trade', takerBase, makerBase);
  }
  const isPaid =
    (taking.next('fee', maker, fees) ?? 0n) === (makerFee > 0n ? makerFee : 0n) &&
    (taking.next('fee', taker, fees) ?? 0n) === takerFee &&
    (taking.next('rebate', fees, maker) ?? 0n) === (makerFee < 0n ? -makerFee : 0n);
  // Each side finds its entries by the trades in which it moved something.
  const hasMoved = (makerPaid ?? makerReceived) !== null && (takerPaid ?? takerReceived) !== null;
  const isSpotWhole = first.reason !== 'trade' || (makerBase.balance !== null && base !== first.asset);
  if (!isPaid || !hasMoved || !isSpotWhole || !taking.isExact) return null;
  return [
    makerPaid,
    makerReceived,
    takerPaid,
    takerReceived,
    pool.accountId,
    maker.balance,
    taker.balance,
    makerBase.balance,
    takerBase.balance,
    pool.balance,
    fees.balance,
  ];
}

/** What an account has of one asset, as far as it was told. */
class Purse {
  balance: bigint | null = null;

  constructor(
    /** Null until it is known. */
    public accountId: number | null,
    private readonly asset: string,
  ) {}

  isOf(accountId: number): boolean {
    return this.accountId === null || this.accountId === accountId;
  }

  /** Whether the balance after a change follows from the one before. */
  change(accountId: number, asset: string, change: bigint, after: bigint): boolean {
    const follows = asset === this.asset && (this.balance === null || this.balance + change === after);
    this.accountId = accountId;
    this.balance = after;
    return follows;
  }
}

/** Takes the transfers of a trade one after the other. */
class Taking {
  private taken = 0;
  private follows = true;

  constructor(
    private readonly moves: readonly TransferFields[],
    private readonly timeMs: number,
  ) {}

  /** The amount of the next one, where it is this one. */
  next(reason: TransferReason, from: Purse, to: Purse): bigint | null {
    const move = this.moves[this.taken];
    if (move?.reason !== reason || !from.isOf(move.debitAccountId) || !to.isOf(move.creditAccountId))
      return null;
    const { debitAccountId, creditAccountId, asset, amount, debitBalanceAfter, creditBalanceAfter } = move;
    const isDebitRight = from.change(debitAccountId, asset, -amount, debitBalanceAfter);
    const isCreditRight = to.change(creditAccountId, asset, amount, creditBalanceAfter);
    this.follows &&= isDebitRight && isCreditRight && move.createdAtMs === this.timeMs;
    this.taken++;
    return amount;
  }

  /** Whether all were taken, and each balance follows from the one before. */
  get isExact(): boolean {
    return this.follows && this.taken === this.moves.length;
  }
}
