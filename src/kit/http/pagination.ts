/**
 * Keyset pagination: a cursor contains the sort key of a page's last row. So the cost of a page does not depend on its
 * depth, and new rows shift nothing.
 */
import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { INVALID_CURSOR } from './error-codes.js';
import { ApiError } from './errors.js';
import { isStorableText } from './text.js';
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
