import { encodeCursor, type Page } from './pagination.js';

/** The most rows that a page looks at: a rare filter makes short pages, never slow ones. */
export const SCANNED_ROWS_MAX = 1_000;

export interface ScannedList<Row, Item> {
  readonly limit: number;
  /** Conditions that no index covers. */
  readonly keeps: (row: Row) => boolean;
  /** The sort key of a row. */
  readonly placeOf: (row: Row) => readonly (number | string)[];
  readonly toItem: (row: Row) => Item;
}

/**
 * One page of rows that were read along an index with `LIMIT SCANNED_ROWS_MAX`. It may be shorter than its limit, or
 * empty, and still have a next page.
 */
export function scannedPageOf<Row, Item>(
  rows: readonly Row[],
  { limit, keeps, placeOf, toItem }: ScannedList<Row, Item>,
): Page<Item> {
  const data: Item[] = [];
  for (const [at, row] of rows.entries()) {
    if (data.length === limit) return { data, next_cursor: encodeCursor(placeOf(rows[at - 1]!)) };
    if (keeps(row)) data.push(toItem(row));
  }
  const isCut = rows.length === SCANNED_ROWS_MAX;
  return { data, next_cursor: isCut ? encodeCursor(placeOf(rows.at(-1)!)) : null };
}
