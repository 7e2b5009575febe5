/** Lists in descending order of a time and, among rows of one time, of an id: by an index of the two. */
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { decodeCursor, invalidCursor } from './pagination.js';
import type { Period } from './period.js';

/** The latest time that a Date can hold; a cursor names no later one. */
export const TIME_MAX_MS = 8.64e15;

/** The sort key of a row, and so the content of a cursor. */
export type TimedPlace = readonly [timeMs: number, id: number];

/** The two columns, such as `t.created_at` and `t.transfer_id`. */
export interface TimedOrder {
  readonly time: string;
  readonly id: string;
}

/** Throws `invalid_cursor` (400). */
export function decodeTimedCursor(cursor: string | undefined): TimedPlace | undefined {
  const place = decodeCursor(cursor, ['integer', 'integer']);
  if (place !== undefined && place[0] > TIME_MAX_MS) throw invalidCursor();
  return place;
}

/** Orders a selection, newest first, and bounds it to a period and to what comes after a place. */
export function selectTimed<Row extends ObjectLiteral>(
  selection: SelectQueryBuilder<Row>,
  { time, id }: TimedOrder,
  { fromMs, toMs }: Period,
  before: TimedPlace | undefined,
): SelectQueryBuilder<Row> {
  selection.orderBy(time, 'DESC').addOrderBy(id, 'DESC');
  if (fromMs !== undefined) selection.andWhere(`${time} >= :from`, { from: new Date(fromMs) });
  if (toMs !== undefined) selection.andWhere(`${time} < :to`, { to: new Date(toMs) });
  if (before !== undefined) {
    const [timeMs, beforeId] = before;
    selection.andWhere(`(${time}, ${id}) < (:beforeTime, :beforeId)`, {
      beforeTime: new Date(timeMs),
      beforeId,
    });
  }
  return selection;
}
