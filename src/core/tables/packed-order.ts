/**
 * Orders are the most there is to load, and what the driver does for each column of each row is the most of loading
 * them: so the columns whose text is plain come as one text, as PostgreSQL writes a record.
 */
import type { Value, ValueKind } from './values.js';
import { ORDER_COLUMNS } from './core-tables.js';
import type { RowOf } from './table-row.js';

export type OrderRow = RowOf<typeof ORDER_COLUMNS>;

/** Names that others have chosen, of which any character may be one. */
const CHOSEN_NAMES = ['market_id', 'client_order_id', 'client_list_id'] as const;

const isChosen = (name: string): boolean => CHOSEN_NAMES.some((chosen) => chosen === name);

/** Figures, flags, times and words of our own. */
const FIGURES = ORDER_COLUMNS.filter(({ name }) => !isChosen(name));
const NAMES = FIGURES.map(({ name }) => name);

export type PackedOrderRow = Pick<OrderRow, (typeof CHOSEN_NAMES)[number]> & { readonly figures: string };

/** What to select of `orders`. */
export function packedOrderColumns(timeAsMs: (column: string) => string): string {
  const figures = FIGURES.map(({ name, kind }) => (kind === 'time' ? timeAsMs(name) : name));
  return `${CHOSEN_NAMES.join(', ')}, ROW(${figures.join(', ')})::text AS figures`;
}

const WORDS = new Map<string, string>();

/** The same string for the same word: a part of a text would keep all of that in memory. */
function interned(word: string): string {
  const known = WORDS.get(word);
  if (known === undefined) WORDS.set(word, word);
  return known ?? word;
}

/** A null is empty in a record, and nothing else is. */
const figure = (text: string): string | null => text || null;
const PARSERS: Readonly<Record<ValueKind, (text: string) => Value>> = {
  integer: figure,
  bigint: figure,
  numeric: figure,
  text: (text) => (text === '' ? null : interned(text)),
  time: (text) => (text === '' ? null : Number(text)),
  bool: (text) => text === 't',
};
const PARSE = FIGURES.map(({ kind }) => PARSERS[kind]);

/** All rows are copies of it, so that they have one shape, whose fields need no looking up. */
const EMPTY: Readonly<Record<string, Value>> = Object.fromEntries(
  ORDER_COLUMNS.map(({ name }) => [name, null]),
);

export function unpackOrder({ figures, ...names }: PackedOrderRow): OrderRow {
  const row = { ...EMPTY, ...names };
  const texts = figures.slice(1, -1).split(',');
  for (let place = 0; place < NAMES.length; place++) {
    (row as Record<string, Value>)[NAMES[place]!] = PARSE[place]!(texts[place]!);
  }
  return row as unknown as OrderRow;
}
