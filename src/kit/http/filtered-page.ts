import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { encodeCursor, type Page, pageOf } from './pagination.js';

/** The most rows that a page scans: a rare filter in a long history makes short pages, never slow ones. */
const SCANNED_ROWS_MAX = 5_000;

/** A condition of SQL with its parameters. */
export type Filter = readonly [condition: string, parameters: ObjectLiteral];

export interface FilteredList<Row, Item> {
  /** The sort key as TypeORM names it, such as `q.quoteId`; the list is in descending order of it. */
  readonly key: string;
  readonly keyOf: (row: Row) => number | string;
  /** Conditions that no index covers. */
  readonly filters: readonly Filter[];
  readonly limit: number;
  readonly toItem: (row: Row) => Item;
}

/**
 * One page of the rows of an indexed selection, newest first. With filters it may be shorter than its limit, or empty,
 * and still have a next page.
 */
export async function filteredPageOf<Row extends ObjectLiteral, Item>(
  selection: SelectQueryBuilder<Row>,
  { key, keyOf, filters, limit, toItem }: FilteredList<Row, Item>,
): Promise<Page<Item>> {
  selection.orderBy(key, 'DESC');
  let last: Row | null = null;
  if (filters.length > 0) {
    last = await selection
      .clone()
      .select(key)
      .offset(SCANNED_ROWS_MAX - 1)
      .limit(1)
      .getOne();
    if (last !== null) selection.andWhere(`${key} >= :lastScanned`, { lastScanned: keyOf(last) });
    for (const [condition, parameters] of filters) selection.andWhere(condition, parameters);
  }
  const rows = await selection.limit(limit + 1).getMany();
  const page = pageOf(rows, limit, (row) => [keyOf(row)], toItem);
  if (page.next_cursor !== null || last === null) return page;
  return { data: page.data, next_cursor: encodeCursor([keyOf(last)]) };
}
