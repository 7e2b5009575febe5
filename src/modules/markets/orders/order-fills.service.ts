import { Inject, Injectable } from '@nestjs/common';
import type { Pool, QueryResult } from 'pg';
import { CoreService } from '../../../core/core.service.js';
import type { OrderSnapshot, Side } from '../../../domain/engine/types.js';
import { amount } from '../../../domain/money/amount.js';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import type { FilledTrade } from './fill.dto.js';
import { FILLS_SHOWN_MAX } from './order.dto.js';

/** Most orders are filled soon after they came, so the walk begins short and grows. */
const FIRST_STEP_TRADES = 100;
const STEP_GROWTH = 8;
const STEP_TRADES_MAX = 20_000;

/**
 * One step of a walk over an account's trades, both sides, from a trade on: the order's own among them,
 * each with the last trade that the step has seen. One row without a trade where the order has none here.
 */
const STEP = `
  WITH walked AS MATERIALIZED (
    (SELECT * FROM trades WHERE taker_account_id = $1 AND trade_id > $3 ORDER BY trade_id LIMIT $4)
    UNION ALL
    (SELECT * FROM trades WHERE maker_account_id = $1 AND trade_id > $3 ORDER BY trade_id LIMIT $4)
    ORDER BY trade_id LIMIT $4
  )
  SELECT seen.last_seen, w.trade_id, w.price_ticks, w.size_lots, w.taker_side, w.maker_order_id, w.taker_order_id,
    w.maker_fee, w.taker_fee, w.executed_at, w.book_sequence
  FROM (SELECT max(trade_id) AS last_seen FROM walked) seen
  LEFT JOIN walked w ON $2 IN (w.taker_order_id, w.maker_order_id)
  ORDER BY w.trade_id`;

interface StepRow {
  /** Null past the account's last trade. */
  readonly last_seen: string | null;
  readonly trade_id: string | null;
  readonly price_ticks: string;
  readonly size_lots: string;
  readonly taker_side: Side;
  readonly maker_order_id: string;
  readonly taker_order_id: string;
  readonly maker_fee: string;
  readonly taker_fee: string;
  readonly executed_at: Date;
  readonly book_sequence: string;
}

/**
 * The fills of one order. Trades are indexed by account, not by order, which spares two index entries
 * a trade; so an order's are found by walking its account's from the order's acceptance until its filled
 * size has been seen.
 */
@Injectable()
export class OrderFillsService {
  constructor(
    private readonly core: CoreService,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {}

  /** Oldest first, at most `FILLS_SHOWN_MAX`. */
  async of(order: OrderSnapshot): Promise<FilledTrade[]> {
    if (order.filledLots > 0) await this.core.projected();
    const trades: FilledTrade[] = [];
    let missingLots = order.filledLots;
    let after: number | string = order.orderId;
    let step = FIRST_STEP_TRADES;
    while (missingLots > 0 && trades.length < FILLS_SHOWN_MAX) {
      const { rows }: QueryResult<StepRow> = await this.pool.query<StepRow>(STEP, [
        order.accountId,
        order.orderId,
        after,
        step,
      ]);
      for (const row of rows) {
        if (row.trade_id === null) continue;
        const trade = toFilledTrade(row);
        trades.push(trade);
        missingLots -= trade.sizeLots;
      }
      const lastSeen: string | null = rows[0]!.last_seen;
      if (lastSeen === null) break;
      after = lastSeen;
      step = Math.min(step * STEP_GROWTH, STEP_TRADES_MAX);
    }
    return trades.slice(0, FILLS_SHOWN_MAX);
  }
}

function toFilledTrade(row: StepRow): FilledTrade {
  return {
    tradeId: Number(row.trade_id),
    priceTicks: Number(row.price_ticks),
    sizeLots: Number(row.size_lots),
    takerSide: row.taker_side,
    makerOrderId: Number(row.maker_order_id),
    takerOrderId: Number(row.taker_order_id),
    makerFee: amount(BigInt(row.maker_fee)),
    takerFee: amount(BigInt(row.taker_fee)),
    executedAtMs: row.executed_at.getTime(),
    bookSequence: Number(row.book_sequence),
  };
}
