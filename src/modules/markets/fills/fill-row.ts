import { arraysOf, unnested } from '../../../core/projection/pg-array.js';
import { columnsOf } from '../../../core/tables/values.js';
import type { PositionTotals } from '../../../domain/pnl/traded-position.js';
import type { FillEntity } from './fill.entity.js';

/** The running totals of a row, as the driver reads them. */
export interface TotalsRow {
  readonly size_lots: string;
  readonly fees: string;
  readonly cost_basis: string;
  readonly realized_pnl: string;
  readonly fifo_cost_basis: string;
  readonly fifo_realized_pnl: string;
  readonly fifo_head_sequence: string | null;
  readonly fifo_head_closed_lots: string | null;
}

export const TOTALS_COLUMNS =
  'size_lots, fees, cost_basis, realized_pnl, fifo_cost_basis, fifo_realized_pnl, fifo_head_sequence, fifo_head_closed_lots';

export function toTotals(row: TotalsRow): PositionTotals {
  return {
    sizeLots: Number(row.size_lots),
    fees: BigInt(row.fees),
    head:
      row.fifo_head_sequence === null
        ? null
        : { sequence: Number(row.fifo_head_sequence), closedLots: Number(row.fifo_head_closed_lots) },
    average_cost: { costBasis: BigInt(row.cost_basis), realizedPnl: BigInt(row.realized_pnl) },
    fifo: { costBasis: BigInt(row.fifo_cost_basis), realizedPnl: BigInt(row.fifo_realized_pnl) },
  };
}

/** A fill as it is inserted: what happened, and the totals after it. */
export interface NewFill extends Pick<
  FillEntity,
  | 'accountId'
  | 'sequence'
  | 'kind'
  | 'orderId'
  | 'side'
  | 'liquidity'
  | 'lots'
  | 'openedLots'
  | 'bookSequence'
> {
  readonly price: bigint;
  readonly fee: bigint;
  readonly executedAtMs: number;
  readonly totals: PositionTotals;
}

const fill = columnsOf<NewFill>();
const COLUMNS = [
  fill.integer('account_id', (row) => row.accountId),
  fill.integer('sequence', (row) => row.sequence),
  fill.text('kind', (row) => row.kind),
  fill.nullable.integer('order_id', (row) => row.orderId),
  fill.text('side', (row) => row.side),
  fill.nullable.text('liquidity', (row) => row.liquidity),
  fill.numeric('price', (row) => row.price),
  fill.integer('lots', (row) => row.lots),
  fill.integer('opened_lots', (row) => row.openedLots),
  fill.numeric('fee', (row) => row.fee),
  fill.nullable.integer('book_sequence', (row) => row.bookSequence),
  fill.time('executed_at', (row) => row.executedAtMs),
  fill.integer('size_lots', ({ totals }) => totals.sizeLots),
  fill.numeric('fees', ({ totals }) => totals.fees),
  fill.numeric('cost_basis', ({ totals }) => totals.average_cost.costBasis),
  fill.numeric('realized_pnl', ({ totals }) => totals.average_cost.realizedPnl),
  fill.numeric('fifo_cost_basis', ({ totals }) => totals.fifo.costBasis),
  fill.numeric('fifo_realized_pnl', ({ totals }) => totals.fifo.realizedPnl),
  fill.nullable.integer('fifo_head_sequence', ({ totals }) => totals.head?.sequence ?? null),
  fill.nullable.integer('fifo_head_closed_lots', ({ totals }) => totals.head?.closedLots ?? null),
];

const NAMES = COLUMNS.map(({ name }) => name).join(', ');
/** Inserts fills of one market, and the days on which they fell; its parameters are `insertParameters`. */
export const INSERT_FILLS = `
  WITH inserted AS (
    INSERT INTO fills (market_id, ${NAMES})
    SELECT $1, ${NAMES} FROM (SELECT ${unnested(COLUMNS, 2)}) AS source
    RETURNING account_id, executed_at
  )
  INSERT INTO fill_days (account_id, day, market_id)
  SELECT DISTINCT account_id, (executed_at AT TIME ZONE 'UTC')::date, $1 FROM inserted
  ON CONFLICT DO NOTHING`;

export function insertParameters(marketId: string, fills: readonly NewFill[]): unknown[] {
  return [marketId, ...arraysOf(COLUMNS, fills)];
}
