/** Reads on in the queues of positions, of which memory has a part. */
import type { ClientBase } from 'pg';
import type { OpenLots } from '../../../domain/pnl/open-lots.js';
import type { PositionKey } from './fill-row.js';

/** Most closes reach into few opening fills, so reading a queue begins short and grows. */
const FIRST_LOTS_READ = 16;
const LOTS_READ_GROWTH = 8;
const LOTS_READ_MAX = 5_000;

const OPENING_FILLS = `
  SELECT asked.place, f.sequence, f.opened_lots, f.price
  FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
    WITH ORDINALITY AS asked (market_id, account_id, after, until, most, place)
  CROSS JOIN LATERAL (
    SELECT sequence, opened_lots, price FROM fills f
    WHERE f.account_id = asked.account_id AND f.market_id = asked.market_id AND f.opened_lots > 0
      AND f.sequence > asked.after AND f.sequence <= asked.until
    ORDER BY f.sequence LIMIT asked.most
  ) AS f
  ORDER BY asked.place, f.sequence`;

/** A queue from which fills will close lots. */
export interface ClosedQueue extends PositionKey {
  readonly queue: OpenLots;
  readonly closedLots: number;
  /** Where the stored fills end; those that opened lots since are in the queue already. */
  readonly until: number;
}

/** Reads each queue until it has what is closed of it: all queues at a time, in as many rounds as the longest needs. */
export async function readQueues(client: ClientBase, closed: readonly ClosedQueue[]): Promise<void> {
  for (let lacking = closed; ;) {
    lacking = lacking.filter(({ queue, closedLots }) => queue.lacks(closedLots));
    if (lacking.length === 0) return;
    const limits = lacking.map(({ queue }) =>
      Math.min(Math.max(FIRST_LOTS_READ, queue.lotsRead * LOTS_READ_GROWTH), LOTS_READ_MAX),
    );
    const { rows } = await client.query<{
      place: string;
      sequence: string;
      opened_lots: string;
      price: string;
    }>(OPENING_FILLS, [
      lacking.map(({ marketId }) => marketId),
      lacking.map(({ accountId }) => accountId),
      lacking.map(({ queue }) => queue.readUpTo),
      lacking.map(({ until }) => until),
      limits,
    ]);
    const read = lacking.map((): { sequence: number; lots: number; price: bigint }[] => []);
    for (const row of rows) {
      read[Number(row.place) - 1]!.push({
        sequence: Number(row.sequence),
        lots: Number(row.opened_lots),
        price: BigInt(row.price),
      });
    }
    lacking.forEach(({ queue }, index) => queue.read(read[index]!, read[index]!.length < limits[index]!));
  }
}
