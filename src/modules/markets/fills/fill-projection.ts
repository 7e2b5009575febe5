import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { ClientBase, Pool } from 'pg';
import { CoreService } from '../../../core/core.service.js';
import type { CommittedBatch } from '../../../core/core.types.js';
import { type PositionFill, TradedPosition } from '../../../domain/pnl/traded-position.js';
import { PG_POOL } from '../../../platform/database/pg-pool.js';
import { inTransaction } from '../../../platform/database/transaction.js';
import { MarketProjection } from '../market-data/market-projection.js';
import type { LegRow, Moved, TradeRow } from './moved-rows.js';
import { readQueue } from './opening-fills.js';
import {
  type HolderRow,
  HOLDERS,
  HOLDERS_PER_PAGE,
  PAID_HOLDERS,
  type SettlementRow,
  SETTLEMENTS,
} from './settled-holders.js';
import {
  INSERT_FILLS,
  insertParameters,
  type NewFill,
  TOTALS_COLUMNS,
  toTotals,
  type TotalsRow,
} from './fill-row.js';

/** How many trades one step turns into fills. */
const STEP_TRADES = 8_000;
/** So much of one account is gone through in half a second (see `FillTail`). */
const TRADES_BEHIND_MAX = 48_000;
/** How many of them are worked off at a time: orders that come in meanwhile wait no longer than that takes. */
const TRADES_PER_INSERT = 250;
/** How much steps keep in memory for the next ones, in opening fills of which queues consist: some 50 MB. */
const KEPT_MAX = 500_000;
/** What a position takes up beside its queue. */
const LOTS_PER_POSITION = 8;
/** More than there are in a step, so that none is lost within one. */
const POSITIONS_KEPT_MAX = 2.5 * STEP_TRADES;
const LOTS_KEPT_MAX = 20_000;

const MARKET_AND_CURSOR = `
  SELECT c.sequence, m.tick_size, m.lot_size
  FROM journal_cursors c JOIN markets m ON m.market_id = $2
  WHERE c.name = $1 FOR UPDATE OF c`;

const LAST_TOTALS = `
  SELECT a.account_id, last.*
  FROM unnest($2::bigint[]) AS a(account_id)
  CROSS JOIN LATERAL (
    SELECT ${TOTALS_COLUMNS} FROM fills f
    WHERE f.account_id = a.account_id AND f.market_id = $1
    ORDER BY f.sequence DESC LIMIT 1
  ) last`;

type MovedRow = { readonly sequence: string } & (({ readonly leg_id: null } & TradeRow) | LegRow);

/**
 * The next trades and legs of sets, in one statement: of two, the second could see a leg that comes after a trade which the
 * first did not see yet, and that trade would be passed over for good.
 */
const MOVED = `
  (SELECT trade_id AS sequence, size_lots, trade_id, price_ticks, taker_side, maker_order_id, taker_order_id,
     maker_account_id, taker_account_id, maker_fee, taker_fee, book_sequence, executed_at,
     NULL::bigint AS leg_id, NULL::bigint AS account_id, NULL::text AS side, NULL::numeric AS price,
     NULL::timestamptz AS booked_at
   FROM trades WHERE market_id = $1 AND trade_id > $2 AND trade_id <= $3 ORDER BY trade_id LIMIT ${STEP_TRADES})
  UNION ALL
  (SELECT leg_id, size_lots, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
     leg_id, account_id, side, price, booked_at
   FROM set_legs WHERE market_id = $1 AND leg_id > $2 AND leg_id <= $3 ORDER BY leg_id LIMIT ${STEP_TRADES})
  ORDER BY sequence LIMIT ${STEP_TRADES}`;

/** Before the name of a market: its place in the journal up to which its fills are stored. */
export const FILLS_CURSOR = 'fills:';

export function fillsCursor(marketId: string): string {
  return FILLS_CURSOR + marketId;
}

/**
 * Computes fills with running totals from trades and settlements, off the order path: an account's state at any moment
 * is then one row, and its profit in a period two.
 */
@Injectable()
export class FillProjection extends MarketProjection {
  private readonly kept = new LRUCache<string, KeptPositions>({
    maxSize: KEPT_MAX,
    sizeCalculation: ({ size }) => size,
  });

  constructor(
    core: CoreService,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {
    super(core, 'Fills', STEP_TRADES, TRADES_BEHIND_MAX);
  }

  protected override *eventsIn(batch: CommittedBatch): Iterable<string> {
    yield* super.eventsIn(batch);
    for (const leg of batch.setLegs) yield leg.marketId;
    yield* batch.marketIds;
  }

  protected async fold(marketId: string): Promise<number> {
    const kept = this.kept.get(marketId);
    // Where the step fails, they have changed and the table has not.
    this.kept.delete(marketId);
    const { trades, ...left } = await inTransaction(this.pool, (client) =>
      new FillStep(client, marketId, kept).run(),
    );
    this.kept.set(marketId, left);
    return trades;
  }
}

type Positions = LRUCache<number, TradedPosition>;

/** What a step leaves for the next. */
interface KeptPositions {
  /** The end of the last step, valid if no other process has continued from there. */
  readonly cursor: string;
  /** By the ids of their accounts. */
  readonly positions: Positions;
  /** What they take up, as `KEPT_MAX` counts it. */
  readonly size: number;
}

interface StepResult extends KeptPositions {
  /** How many it took up. */
  readonly trades: number;
}

/** The end of all sequences. */
const ENDLESS = '9223372036854775807';

/** Makes the fills of a market up to a sequence from nothing, where none are stored. */
export async function remakeFills(client: ClientBase, marketId: string, until: number): Promise<void> {
  let step: StepResult | undefined;
  do step = await new FillStep(client, marketId, step, until.toString()).run();
  while (step.trades === STEP_TRADES);
}

/** One step over one market, inside its transaction. */
class FillStep {
  private readonly cursorName: string;
  /** Where the step before has ended. */
  private cursor = '0';
  private tickSize = 0n;
  private lotSize = 0n;
  private positions: Positions = new LRUCache({ max: POSITIONS_KEPT_MAX });

  constructor(
    private readonly client: ClientBase,
    private readonly marketId: string,
    private readonly kept: KeptPositions | undefined,
    private readonly until = ENDLESS,
  ) {
    this.cursorName = fillsCursor(marketId);
  }

  /** Takes up the next trades; the settlements after them come with the last. */
  async run(): Promise<StepResult> {
    await this.lockCursor();
    // Read before the trades, since no trade comes after a settlement: what is read later lacks none before it.
    const settlements = await this.readSettlements();
    const moved = await this.readMoved();
    await this.takePositions(
      moved.flatMap((each) =>
        'leg' in each ? [each.leg.account_id] : [each.trade.maker_account_id, each.trade.taker_account_id],
      ),
    );
    for (let start = 0; start < moved.length; start += TRADES_PER_INSERT) {
      const fills: NewFill[] = [];
      for (const each of moved.slice(start, start + TRADES_PER_INSERT)) {
        if ('leg' in each) fills.push(await this.legFill(each.leg));
        else fills.push(await this.fillOf(each.trade, 'maker'), await this.fillOf(each.trade, 'taker'));
      }
      await this.insert(fills);
    }
    let last = moved.at(-1)?.sequence.toString();
    if (moved.length < STEP_TRADES) {
      for (const settlement of settlements) {
        await this.settle(settlement);
        last = settlement.sequence;
      }
    }
    if (last !== undefined) {
      await this.client.query('UPDATE journal_cursors SET sequence = $2 WHERE name = $1', [
        this.cursorName,
        last,
      ]);
    }
    const { positions } = this;
    return { trades: moved.length, cursor: last ?? this.cursor, positions, size: this.forgetMostLots() };
  }

  /** Keeps the heads of queues, of those that were used last if that is too much; answers what is kept. */
  private forgetMostLots(): number {
    let left = LOTS_KEPT_MAX;
    for (const { queue } of this.positions.values()) left -= queue.keep(left);
    return LOTS_KEPT_MAX - left + 1 + LOTS_PER_POSITION * this.positions.size;
  }

  private async lockCursor(): Promise<void> {
    await this.client.query(
      'INSERT INTO journal_cursors (name, sequence) VALUES ($1, 0) ON CONFLICT DO NOTHING',
      [this.cursorName],
    );
    const { rows } = await this.client.query<{ sequence: string; tick_size: string; lot_size: string }>(
      MARKET_AND_CURSOR,
      [this.cursorName, this.marketId],
    );
    const { sequence, tick_size, lot_size } = rows[0]!;
    this.tickSize = BigInt(tick_size);
    this.lotSize = BigInt(lot_size);
    this.cursor = sequence;
    if (this.kept?.cursor === sequence) this.positions = this.kept.positions;
  }

  private async readMoved(): Promise<Moved[]> {
    const { rows } = await this.client.query<MovedRow>(MOVED, [this.marketId, this.cursor, this.until]);
    return rows.map((row) => {
      const sequence = Number(row.sequence);
      return row.leg_id === null ? { sequence, trade: row } : { sequence, leg: row };
    });
  }

  private async readSettlements(): Promise<SettlementRow[]> {
    const { rows } = await this.client.query<SettlementRow>(SETTLEMENTS, [
      this.marketId,
      this.cursor,
      this.until,
    ]);
    return rows;
  }

  /** Takes up the positions of these accounts where their last fills left them. */
  private async takePositions(accountIds: readonly string[]): Promise<void> {
    const missing = [...new Set(accountIds)].filter((id) => this.positions.get(Number(id)) === undefined);
    if (missing.length === 0) return;
    const { rows } = await this.client.query<TotalsRow & { account_id: string }>(LAST_TOTALS, [
      this.marketId,
      missing,
    ]);
    for (const row of rows) {
      this.positions.set(Number(row.account_id), TradedPosition.from(this.lotSize, toTotals(row)));
    }
  }

  private positionOf(accountId: number): TradedPosition {
    let position = this.positions.get(accountId);
    if (position === undefined) {
      position = TradedPosition.from(this.lotSize);
      this.positions.set(accountId, position);
    }
    return position;
  }

  private async book(accountId: number, fill: PositionFill): Promise<Pick<NewFill, 'openedLots' | 'totals'>> {
    const position = this.positionOf(accountId);
    await readQueue(this.client, { accountId, marketId: this.marketId, until: this.cursor }, position, fill);
    return { ...position.fill(fill), totals: position.totals };
  }

  private async fillOf(trade: TradeRow, liquidity: 'maker' | 'taker'): Promise<NewFill> {
    const isTaker = liquidity === 'taker';
    const accountId = Number(isTaker ? trade.taker_account_id : trade.maker_account_id);
    const fill = {
      sequence: Number(trade.trade_id),
      side: isTaker === (trade.taker_side === 'buy') ? ('buy' as const) : ('sell' as const),
      lots: Number(trade.size_lots),
      price: BigInt(trade.price_ticks) * this.tickSize,
      fee: BigInt(isTaker ? trade.taker_fee : trade.maker_fee),
    };
    const booked = await this.book(accountId, fill);
    return {
      ...fill,
      ...booked,
      accountId,
      kind: 'trade',
      orderId: Number(isTaker ? trade.taker_order_id : trade.maker_order_id),
      liquidity,
      bookSequence: Number(trade.book_sequence),
      executedAtMs: trade.executed_at.getTime(),
    };
  }

  /** A leg of a set is a fill at the price at which it was booked. */
  private async legFill(leg: LegRow): Promise<NewFill> {
    const accountId = Number(leg.account_id);
    const fill = {
      sequence: Number(leg.leg_id),
      side: leg.side,
      lots: Number(leg.size_lots),
      price: BigInt(leg.price),
      fee: 0n,
    };
    const booked = await this.book(accountId, fill);
    return {
      ...fill,
      ...booked,
      accountId,
      kind: 'set',
      orderId: null,
      liquidity: null,
      bookSequence: null,
      executedAtMs: leg.booked_at.getTime(),
    };
  }

  /** Closes all positions, page by page; a correction changes the value of those positions. */
  private async settle(settlement: SettlementRow): Promise<void> {
    if (settlement.account_ids !== null) {
      const { rows } = await this.client.query<HolderRow>(PAID_HOLDERS, [
        this.marketId,
        settlement.account_ids,
      ]);
      await this.insertSettled(settlement, rows);
      return;
    }
    for (let after = '0'; ;) {
      const { rows } = await this.client.query<HolderRow>(HOLDERS, [this.marketId, after]);
      await this.insertSettled(settlement, rows);
      const last = rows.at(-1);
      if (last === undefined || rows.length < HOLDERS_PER_PAGE) return;
      after = last.account_id;
    }
  }

  private async insertSettled(settlement: SettlementRow, holders: readonly HolderRow[]): Promise<void> {
    await this.takePositions(holders.map((holder) => holder.account_id));
    await this.insert(
      holders.map(({ account_id, settled_lots }) =>
        this.settledFill(settlement, Number(account_id), Number(settled_lots)),
      ),
    );
    this.positions.clear();
  }

  private settledFill(settlement: SettlementRow, accountId: number, settledLots: number): NewFill {
    const position = this.positionOf(accountId);
    const price = BigInt(settlement.settlement_value);
    const isFirst = settlement.previous_value === null;
    if (isFirst) position.settle(price);
    else position.correctSettlement(settledLots, BigInt(settlement.previous_value), price);
    return {
      accountId,
      sequence: Number(settlement.sequence),
      kind: isFirst ? 'settlement' : 'correction',
      orderId: null,
      side: settledLots > 0 ? 'sell' : 'buy',
      liquidity: null,
      price,
      lots: Math.abs(settledLots),
      openedLots: 0,
      fee: 0n,
      bookSequence: null,
      executedAtMs: settlement.settled_at.getTime(),
      totals: position.totals,
    };
  }

  private async insert(fills: readonly NewFill[]): Promise<void> {
    if (fills.length > 0) await this.client.query(INSERT_FILLS, insertParameters(this.marketId, fills));
  }
}
