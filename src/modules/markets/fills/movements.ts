/** What moves positions, in the order in which it happened: as commits tell it, and as it is stored. */
import type { ClientBase } from 'pg';
import type { CommittedBatch } from '../../../core/core.types.js';
import type { SetLeg, Side, Trade } from '../../../domain/engine/types.js';
import { amount } from '../../../domain/money/amount.js';
import type { StoredEvents } from '../market-data/market-fold.js';
import { readSettlements, type SettlementRow } from './settled-holders.js';

export type TradeMovement = Omit<Trade, 'marketId' | 'notional'>;
export type LegMovement = Omit<SetLeg, 'marketId'>;
/** A settlement moves all positions of its market at once; none is heard, so that its holders are read with it. */
export type Movement = TradeMovement | LegMovement | SettlementRow;

export const isTrade = (movement: Movement): movement is TradeMovement => 'tradeId' in movement;
export const isLeg = (movement: Movement): movement is LegMovement => 'legId' in movement;

export function sequenceOf(movement: Movement): number {
  if (isTrade(movement)) return movement.tradeId;
  return isLeg(movement) ? movement.legId : movement.sequence;
}

/** Null where a market was settled, corrected or changed otherwise. */
export function* heardIn(batch: CommittedBatch): Iterable<readonly [string, Trade | SetLeg | null]> {
  const { trades, setLegs, marketIds } = batch;
  let next = 0;
  for (const trade of trades) {
    for (let leg = setLegs[next]; leg !== undefined && leg.legId < trade.tradeId; leg = setLegs[++next]) {
      yield [leg.marketId, leg];
    }
    yield [trade.marketId, trade];
  }
  for (const leg of setLegs.slice(next)) yield [leg.marketId, leg];
  for (const marketId of marketIds) yield [marketId, null];
}

/** How many trades and legs one step reads. */
const STEP_MOVEMENTS = 8_000;

/**
 * The next trades and legs of sets, in one statement: of two, the second could see a leg that comes after a trade which the
 * first did not see yet, and that trade would be passed over for good.
 */
const MOVED = `
  (SELECT trade_id AS sequence, size_lots, trade_id, price_ticks, taker_side, maker_order_id, taker_order_id,
     maker_account_id, taker_account_id, maker_fee, taker_fee, book_sequence, executed_at,
     NULL::bigint AS leg_id, NULL::bigint AS account_id, NULL::text AS side, NULL::numeric AS price,
     NULL::timestamptz AS booked_at
   FROM trades WHERE market_id = $1 AND trade_id > $2 AND trade_id <= $3 ORDER BY trade_id LIMIT ${STEP_MOVEMENTS})
  UNION ALL
  (SELECT leg_id, size_lots, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
     leg_id, account_id, side, price, booked_at
   FROM set_legs WHERE market_id = $1 AND leg_id > $2 AND leg_id <= $3 ORDER BY leg_id LIMIT ${STEP_MOVEMENTS})
  ORDER BY sequence LIMIT ${STEP_MOVEMENTS}`;

interface TradeRow {
  readonly leg_id: null;
  readonly trade_id: string;
  readonly price_ticks: string;
  readonly size_lots: string;
  readonly taker_side: Side;
  readonly maker_order_id: string;
  readonly taker_order_id: string;
  readonly maker_account_id: string;
  readonly taker_account_id: string;
  readonly maker_fee: string;
  readonly taker_fee: string;
  readonly book_sequence: string;
  readonly executed_at: Date;
}

interface LegRow {
  readonly leg_id: string;
  readonly account_id: string;
  readonly side: Side;
  readonly size_lots: string;
  readonly price: string;
  readonly booked_at: Date;
}

/** The next movements of a market; its settlements come with the last of the others. */
export async function storedMovements(
  client: ClientBase,
  marketId: string,
  after: number,
  until: number,
): Promise<StoredEvents<Movement>> {
  // Read before the trades, since no trade comes after a settlement: what is read later lacks none before it.
  const settlements = await readSettlements(client, marketId, after, until);
  const { rows } = await client.query<TradeRow | LegRow>(MOVED, [marketId, after, until]);
  const moved = rows.map(toMovement);
  const isEnd = moved.length < STEP_MOVEMENTS;
  return { events: isEnd ? [...moved, ...settlements] : moved, isEnd };
}

function toMovement(row: TradeRow | LegRow): TradeMovement | LegMovement {
  if (row.leg_id !== null) {
    return {
      legId: Number(row.leg_id),
      accountId: Number(row.account_id),
      side: row.side,
      sizeLots: Number(row.size_lots),
      price: amount(BigInt(row.price)),
      bookedAtMs: row.booked_at.getTime(),
    };
  }
  return {
    tradeId: Number(row.trade_id),
    priceTicks: Number(row.price_ticks),
    sizeLots: Number(row.size_lots),
    takerSide: row.taker_side,
    makerOrderId: Number(row.maker_order_id),
    takerOrderId: Number(row.taker_order_id),
    makerAccountId: Number(row.maker_account_id),
    takerAccountId: Number(row.taker_account_id),
    makerFee: amount(BigInt(row.maker_fee)),
    takerFee: amount(BigInt(row.taker_fee)),
    bookSequence: Number(row.book_sequence),
    executedAtMs: row.executed_at.getTime(),
  };
}
