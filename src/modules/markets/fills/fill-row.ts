import type { ClientBase } from 'pg';
import { arraysOf, unnested } from '../../../core/projection/pg-array.js';
import { declareColumns } from '../../../core/tables/values.js';
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
  | 'marketId'
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

const fill = declareColumns<NewFill>();
const COLUMNS = [
  fill.text('market_id', (row) => row.marketId),
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
/** Inserts fills, and the days on which they fell. */
const INSERT_FILLS = `
  WITH inserted AS (
    INSERT INTO fills (${NAMES}) SELECT ${unnested(COLUMNS, 1)}
    RETURNING account_id, executed_at, market_id
  )
  INSERT INTO fill_days (account_id, day, market_id)
  SELECT DISTINCT account_id, (executed_at AT TIME ZONE 'UTC')::date, market_id FROM inserted
  ON CONFLICT DO NOTHING`;

export async function insertFills(client: ClientBase, fills: readonly NewFill[]): Promise<void> {
  if (fills.length > 0) await client.query(INSERT_FILLS, arraysOf(COLUMNS, fills));
}

/** An account's position in a market. */
export interface PositionKey {
  readonly marketId: string;
  readonly accountId: number;
}

const LAST_TOTALS = `
  SELECT asked.place, last.*
  FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS asked (market_id, account_id, place)
  CROSS JOIN LATERAL (
    SELECT ${TOTALS_COLUMNS} FROM fills f
    WHERE f.account_id = asked.account_id AND f.market_id = asked.market_id
    ORDER BY f.sequence DESC LIMIT 1
  ) AS last`;

/** The totals after the last fill of each position, in their order; undefined where there is none. */
export async function readTotals(
  client: ClientBase,
  positions: readonly PositionKey[],
): Promise<(PositionTotals | undefined)[]> {
  const found = new Array<PositionTotals | undefined>(positions.length).fill(undefined);
  if (positions.length === 0) return found;
  const { rows } = await client.query<TotalsRow & { place: string }>(LAST_TOTALS, [
    positions.map(({ marketId }) => marketId),
    positions.map(({ accountId }) => accountId),
  ]);
  for (const row of rows) found[Number(row.place) - 1] = toTotals(row);
  return found;
}
