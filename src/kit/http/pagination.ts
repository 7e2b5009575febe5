/**
 * Keyset pagination: a cursor contains the sort key of a page's last row. So the cost of a page does not depend on its
 * depth, and new rows shift nothing.
 */
import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { INVALID_CURSOR } from './error-codes.js';
import { ApiError } from './errors.js';
import { isStorableText } from '../storable-text.js';
import { QueryInteger } from './validation/query.js';

export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 200;
const CURSOR_LENGTH_MAX = 512;

/** The query parameters of every list; extend it with a list's own filters. */
export class PageQueryDto {
  @QueryInteger(1, PAGE_LIMIT_MAX, `How many items to answer at most (default ${PAGE_LIMIT_DEFAULT}).`)
  limit: number = PAGE_LIMIT_DEFAULT;

  @ApiPropertyOptional({ type: String, description: 'The `next_cursor` of the page before.' })
  @IsOptional()
  @IsString()
  @MaxLength(CURSOR_LENGTH_MAX)
  cursor?: string;
}

/** One page of a list; `next_cursor` is null on the last. */
export interface Page<T> {
  readonly data: T[];
  readonly next_cursor: string | null;
}

/** The types of a cursor's parts: safe integers from 0, or texts. */
export type CursorShape = readonly ('integer' | 'text')[];

type CursorParts<S extends CursorShape> = {
  -readonly [I in keyof S]: S[I] extends 'integer' ? number : string;
};

/** Encodes the sort key of a page's last row as opaque text. */
export function encodeCursor(parts: readonly (number | string)[]): string {
  return Buffer.from(JSON.stringify(parts), 'utf8').toString('base64url');
}

/**
 * Decodes a sort key of the given shape; `undefined` without a cursor. Throws `invalid_cursor` (400) for text that
 * `encodeCursor` did not make for this shape.
 */
export function decodeCursor<const S extends CursorShape>(
  cursor: string | undefined,
  shape: S,
): CursorParts<S> | undefined {
  if (cursor === undefined) return undefined;
  const parts = parseCursor(cursor);
  const fits =
    Array.isArray(parts) &&
    parts.length === shape.length &&
    shape.every((kind, i) => (kind === 'integer' ? isKeyInteger(parts[i]) : isKeyText(parts[i]))) &&
    encodeCursor(parts) === cursor;
  if (!fits) throw invalidCursor();
  return parts as CursorParts<S>;
}

export function invalidCursor(): ApiError {
  return new ApiError(
    INVALID_CURSOR,
    'Use the `next_cursor` of this list as it was answered, or leave it out.',
  );
}

/**
 * Makes a page of rows that were read with `LIMIT limit + 1`: the extra row only shows that a next page exists. `keyOf`
 * gives the sort key of a row, `toItem` its response.
 */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  keyOf: (row: Row) => readonly (number | string)[],
  toItem: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { data: shown.map(toItem), next_cursor: more ? encodeCursor(keyOf(last)) : null };
}

/** The latest time that a Date can hold; a cursor names no later one. */
export const TIME_MAX_MS = 8.64e15;

/** The sort key of a list by time and, among rows of one time, by id, both descending: by an index of the two. */
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

/** From a time on, and before another; either may be open. */
export interface Period {
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
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

/** The most rows that the database looks at for a page, for the same reason. */
const FILTERED_ROWS_MAX = 5_000;

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
      .offset(FILTERED_ROWS_MAX - 1)
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

/** Documents the answer of a list route: a page of `item`. */
export function ApiPageResponse(item: Type<unknown>, description = 'One page.'): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(item),
    ApiOkResponse({
      description,
      schema: {
        type: 'object',
        required: ['data', 'next_cursor'],
        properties: {
          data: { type: 'array', items: { $ref: getSchemaPath(item) } },
          next_cursor: { type: ['string', 'null'] as never, description: 'Null on the last page.' },
        },
      },
    }),
  );
}

function parseCursor(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function isKeyInteger(part: unknown): boolean {
  return Number.isSafeInteger(part) && (part as number) >= 0;
}

function isKeyText(part: unknown): boolean {
  return typeof part === 'string' && isStorableText(part);
}
