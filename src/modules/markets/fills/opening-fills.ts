import type { ClientBase, Pool } from 'pg';
import type { PositionFill, TradedPosition } from '../../../domain/pnl/traded-position.js';

/** Most closes reach into few opening fills, so reading a queue begins short and grows. */
const FIRST_LOTS_READ = 16;
const LOTS_READ_GROWTH = 8;
const LOTS_READ_MAX = 5_000;

const OPENING_FILLS = `
  SELECT sequence, opened_lots, price FROM fills
  WHERE account_id = $1 AND market_id = $2 AND opened_lots > 0 AND sequence > $3 AND sequence <= $4
  ORDER BY sequence LIMIT $5`;

interface OpeningFillRow {
  readonly sequence: string;
  readonly opened_lots: string;
  readonly price: string;
}

/** Stored fills of an account in a market; those after `until` are in the queue already. */
export interface StoredFills {
  readonly accountId: number;
  readonly marketId: string;
  readonly until: string;
}

/** Reads on in a position's queue until it has what a fill closes. */
export async function readQueue(
  client: ClientBase | Pool,
  { accountId, marketId, until }: StoredFills,
  position: TradedPosition,
  { side, lots }: Pick<PositionFill, 'side' | 'lots'>,
): Promise<void> {
  const closed = position.queuedLotsClosedBy(side, lots);
  const { queue } = position;
  while (queue.lacks(closed)) {
    const limit = Math.min(Math.max(FIRST_LOTS_READ, queue.lotsRead * LOTS_READ_GROWTH), LOTS_READ_MAX);
    const { rows } = await client.query<OpeningFillRow>(OPENING_FILLS, [
      accountId,
      marketId,
      queue.readUpTo,
      until,
      limit,
    ]);
    const opening = rows.map((row) => ({
      sequence: Number(row.sequence),
      lots: Number(row.opened_lots),
      price: BigInt(row.price),
    }));
    queue.read(opening, opening.length < limit);
  }
}
