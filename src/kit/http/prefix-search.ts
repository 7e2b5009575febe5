/** Search by how texts begin, whatever their case: text after text, each along an index of its own. */
import { IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { ApiPropertyOptional } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
import {
  decodeCursor,
  encodeCursor,
  invalidCursor,
  type Page,
  SCANNED_ROWS_MAX,
  scannedPageOf,
} from './pagination.js';

/** As much of a text as its index keeps. */
const PREFIX_LENGTH_MAX = 48;

/** The `q` of a list: what is looked for has to begin with it. */
export function QueryPrefix(description: string): PropertyDecorator {
  const options = { type: String, minLength: 1, maxLength: PREFIX_LENGTH_MAX, description };
  const decorators = [
    ApiPropertyOptional(options),
    IsOptional(),
    IsString(),
    MinLength(1),
    MaxLength(PREFIX_LENGTH_MAX),
  ];
  return (target, property) => {
    for (const decorator of decorators) decorator(target, property);
  };
}

export interface PrefixSearch<Row, Item> {
  /** What to read of each row, and from where, such as `u.name FROM users u`. */
  readonly rows: string;
  /** A condition of all rows, as the indexes have it; and `TRUE` where there is none. */
  readonly where: string;
  /** The columns that are searched, in this order. */
  readonly texts: readonly string[];
  /** The column of the row's number. */
  readonly id: string;
  /** Conditions that no index covers. */
  readonly keeps: (row: Row) => boolean;
  readonly toItem: (row: Row) => Item;
}

interface Found {
  /** The beginning of the text that was found. */
  readonly found_text: string;
  readonly found_id: string;
  /** Whether a column before this one has found the row, too. */
  readonly found_before: boolean;
}

/** An expression exactly as the indexes have it: otherwise they would not be used. */
function beginningOf(column: string): string {
  return `left(lower(${column}), ${PREFIX_LENGTH_MAX}) COLLATE "C"`;
}

/**
 * The rows of which a text begins with `q`: first those of the first column, in its order, and so on. A page may be
 * shorter than its limit, or empty, and still have a next one. Throws `invalid_cursor`.
 */
export async function prefixPageOf<Row, Item>(
  manager: EntityManager,
  search: PrefixSearch<Row, Item>,
  { q, limit, cursor }: { readonly q: string; readonly limit: number; readonly cursor?: string },
): Promise<Page<Item>> {
  const [first, ...after] = decodeCursor(cursor, ['integer', 'text', 'integer']) ?? [0];
  if (first >= search.texts.length) throw invalidCursor();
  const data: Item[] = [];
  let place = cursor ?? null;
  for (let column = first; column < search.texts.length; column++) {
    const rows = await manager.query<(Row & Found)[]>(
      statementOf(search, column, column === first && after),
      [q, ...(column === first ? after : [])],
    );
    // A page that is full ends before the first column that has more.
    if (data.length === limit && rows.length > 0) return { data, next_cursor: place };
    const placeOf = (row: Found): (number | string)[] => [column, row.found_text, Number(row.found_id)];
    const page = scannedPageOf(rows, {
      limit: limit - data.length,
      keeps: (row) => !row.found_before && search.keeps(row),
      placeOf,
      toItem: search.toItem,
    });
    data.push(...page.data);
    if (page.next_cursor !== null) return { data, next_cursor: page.next_cursor };
    if (rows.length > 0) place = encodeCursor(placeOf(rows.at(-1)!));
  }
  return { data, next_cursor: null };
}

function statementOf(
  { rows, where, texts, id }: PrefixSearch<never, unknown>,
  column: number,
  after: readonly unknown[] | false,
): string {
  const text = beginningOf(texts[column]!);
  const prefix = beginningOf('$1');
  const before = texts.slice(0, column).map((name) => `starts_with(${beginningOf(name)}, ${prefix})`);
  const isAfter = after !== false && after.length > 0;
  return `
    SELECT ${text} AS found_text, ${id} AS found_id,
      ${before.length === 0 ? 'false' : `coalesce(${before.join(' OR ')}, false)`} AS found_before, ${rows}
    WHERE ${where} AND ${texts[column]} IS NOT NULL
      AND ${text} >= ${prefix} AND ${text} < ${prefix} || chr(1114111)
      ${isAfter ? `AND (${text}, ${id}) > ($2 COLLATE "C", $3::bigint)` : ''}
    ORDER BY ${text}, ${id} LIMIT ${SCANNED_ROWS_MAX}`;
}
