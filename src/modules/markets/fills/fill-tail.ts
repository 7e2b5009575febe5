import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { CoreService } from '../../../core/core.service.js';
import {
  type PositionFill,
  type PositionTotals,
  TradedPosition,
} from '../../../domain/pnl/traded-position.js';
import { PG_POOL } from '../../../platform/database/pg-pool.js';
import { presentOwner } from '../../../platform/turns/owner.js';
import { TurnQueue } from '../../../platform/turns/turn-queue.js';
import { fillsCursor } from './fill-projection.js';
import { TOTALS_COLUMNS, toTotals, type TotalsRow } from './fill-row.js';
import type { FillKind } from './fill.entity.js';
import { readQueue, type StoredFills } from './opening-fills.js';

/** How many trades of a market are gone through at most; more are not gone through in a second. */
const TRADES_MAX = 250_000;
const TRADES_PER_READ = 2_000;
/** How many are gone through at a time, so that many who ask leave time to orders. */
const BOUNDS = { runningMax: 2, ownerRunningMax: 1, waitingMax: 1_000, ownerWaitingMax: 200 };

/** Where the table ends, the account's position there, and whether trades are all that comes after in the market. */
const END_OF_TABLE = `
  SELECT coalesce(c.sequence, 0) AS cursor, m.lot_size, last.*,
    NOT EXISTS (SELECT FROM settlements s WHERE s.market_id = $2 AND s.sequence > coalesce(c.sequence, 0))
      AND NOT EXISTS (SELECT FROM settlement_chunks s WHERE s.market_id = $2 AND s.sequence > coalesce(c.sequence, 0))
      AND NOT EXISTS (SELECT FROM set_legs l WHERE l.market_id = $2 AND l.leg_id > coalesce(c.sequence, 0))
      AND (SELECT count(*) FROM (
        SELECT FROM trades t WHERE t.market_id = $2 AND t.trade_id > coalesce(c.sequence, 0) LIMIT ${TRADES_MAX} + 1
      ) AS counted) <= ${TRADES_MAX} AS is_plain
  FROM markets m
  LEFT JOIN journal_cursors c ON c.name = $3
  LEFT JOIN LATERAL (
    SELECT ${TOTALS_COLUMNS} FROM fills f
    WHERE f.account_id = $1 AND f.market_id = $2 AND f.sequence <= c.sequence
    ORDER BY f.sequence DESC LIMIT 1
  ) last ON true
  WHERE m.market_id = $2`;

/** Through the market's trades in their order: by the account they would have to be sorted, the whole history of it. */
const TRADES = `
  SELECT trade_id, price_ticks * m.tick_size AS price, size_lots,
    (taker_account_id = $1) = (taker_side = 'buy') AS is_buy,
    CASE WHEN taker_account_id = $1 THEN taker_fee ELSE maker_fee END AS fee
  FROM trades t JOIN markets m USING (market_id)
  WHERE t.market_id = $2 AND t.trade_id > $3 AND t.trade_id <= $4
    AND $1 IN (t.maker_account_id, t.taker_account_id)
  ORDER BY t.trade_id LIMIT ${TRADES_PER_READ}`;

type EndRow = { readonly [Name in keyof TotalsRow]: TotalsRow[Name] | null } & {
  readonly cursor: string;
  readonly lot_size: string;
  readonly is_plain: boolean;
};

interface TradeRow {
  readonly trade_id: string;
  readonly price: string;
  readonly size_lots: string;
  readonly is_buy: boolean;
  readonly fee: string;
}

/** The last fill of an account in a market by some place of the sequence. */
export interface LastFill {
  readonly sequence: number;
  readonly kind: FillKind;
  readonly price: bigint;
  readonly totals: PositionTotals;
}

/**
 * The fills of one account that are not in the table yet. Under constant load the table lags behind; making the rows of
 * all accounts takes much longer than scanning the trades of one.
 */
@Injectable()
export class FillTail {
  private readonly reading = new TurnQueue(BOUNDS);

  constructor(
    private readonly core: CoreService,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {}

  /**
   * For each of the sequences, the account's last fill up to it, if that comes after the end of the table; a later read
   * of the table has the others. Returns `undefined` if a settlement or a set comes after that end, or so many trades that the
   * table should be caught up first.
   */
  async lastFills(
    accountId: number,
    marketId: string,
    sequences: readonly number[],
  ): Promise<ReadonlyMap<number, LastFill> | undefined> {
    await this.core.projected();
    return this.reading.take(presentOwner(), () => this.read(accountId, marketId, sequences));
  }

  private async read(
    accountId: number,
    marketId: string,
    sequences: readonly number[],
  ): Promise<ReadonlyMap<number, LastFill> | undefined> {
    const { rows } = await this.pool.query<EndRow>(END_OF_TABLE, [
      accountId,
      marketId,
      fillsCursor(marketId),
    ]);
    const end = rows[0]!;
    if (!end.is_plain) return undefined;
    const position = TradedPosition.from(BigInt(end.lot_size), isTraded(end) ? toTotals(end) : undefined);
    const stored: StoredFills = { accountId, marketId, until: end.cursor };
    const asked = [...new Set(sequences)].sort((a, b) => a - b);
    const found = new Map<number, LastFill>();
    let last: LastFill | undefined;
    const answerBefore = (sequence: number): void => {
      while (asked[0] !== undefined && asked[0] < sequence) {
        const answered = asked.shift()!;
        if (last !== undefined) found.set(answered, last);
      }
    };
    for await (const fills of this.tradesAfter(stored, Math.max(...sequences))) {
      for (const fill of fills) {
        answerBefore(fill.sequence);
        await readQueue(this.pool, stored, position, fill);
        position.fill(fill);
        last = { sequence: fill.sequence, kind: 'trade', price: fill.price, totals: position.totals };
      }
    }
    answerBefore(Infinity);
    return found;
  }

  /** In their order, up to and with a sequence. */
  private async *tradesAfter(
    { accountId, marketId, until }: StoredFills,
    last: number,
  ): AsyncGenerator<PositionFill[]> {
    for (let after = until, isEnd = false; !isEnd;) {
      const { rows } = await this.pool.query<TradeRow>(TRADES, [accountId, marketId, after, last]);
      yield rows.map((row) => ({
        sequence: Number(row.trade_id),
        side: row.is_buy ? 'buy' : 'sell',
        lots: Number(row.size_lots),
        price: BigInt(row.price),
        fee: BigInt(row.fee),
      }));
      after = rows.at(-1)?.trade_id ?? after;
      isEnd = rows.length < TRADES_PER_READ;
    }
  }
}

function isTraded(row: EndRow): row is EndRow & TotalsRow {
  return row.size_lots !== null;
}
