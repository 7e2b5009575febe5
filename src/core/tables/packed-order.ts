/**
 * Orders are the most there is to load, and what the driver does for each column of each row is the most of loading
 * them: so the columns whose text is plain come as two texts, as PostgreSQL writes a record. One has what differs from
 * order to order; what the other has is the same for most orders, and is parsed once.
 */
import type { Value, ValueKind } from './values.js';
import { ADVANCED_TERMS, ORDER_COLUMNS } from './core-tables.js';
import type { TableRow } from './table-row.js';

export type OrderRow = TableRow<typeof ORDER_COLUMNS>;

/** Names that others have chosen, of which any character may be one. */
const CHOSEN_NAMES = ['market_id', 'client_order_id', 'client_list_id'] as const;

/** Beside words and flags, what few orders have. */
const SELDOM = [
  'stop_price_ticks',
  'best_ticks',
  'maker_fee_rate',
  'taker_fee_rate',
  'expires_at',
  ...ADVANCED_TERMS.map(({ name }) => name),
] as const;

const among = (names: readonly string[], name: string): boolean => names.includes(name);

const UNCHOSEN = ORDER_COLUMNS.filter(({ name }) => !among(CHOSEN_NAMES, name));
const isAlike = ({ name, kind }: (typeof UNCHOSEN)[number]): boolean =>
  kind === 'text' || kind === 'bool' || among(SELDOM, name);
const TERMS = UNCHOSEN.filter(isAlike);
const FIGURES = UNCHOSEN.filter((column) => !isAlike(column));

/** Orders of which each has terms of its own, such as stops, are not to fill the memory. */
const TERMS_KEPT_MAX = 10_000;

export type PackedOrderRow = Pick<OrderRow, (typeof CHOSEN_NAMES)[number]> & {
  readonly figures: string;
  readonly terms: string;
};

/** What to select of `orders`. */
export function packedOrderColumns(timeAsMs: (column: string) => string): string {
  const packed = (columns: typeof UNCHOSEN): string =>
    `ROW(${columns.map(({ name, kind }) => (kind === 'time' ? timeAsMs(name) : name)).join(', ')})::text`;
  return `${CHOSEN_NAMES.join(', ')}, ${packed(FIGURES)} AS figures, ${packed(TERMS)} AS terms`;
}

const WORDS = new Map<string, string>();

/** The same string for the same word: a part of a text would keep all of that in memory. */
function interned(word: string): string {
  const known = WORDS.get(word);
  if (known === undefined) WORDS.set(word, word);
  return known ?? word;
}

/** A null is empty in a record, and nothing else is. */
const textOf = (text: string): string | null => text || null;
const PARSERS: Readonly<Record<ValueKind, (text: string) => Value>> = {
  integer: textOf,
  bigint: textOf,
  numeric: textOf,
  text: (text) => (text === '' ? null : interned(text)),
  time: (text) => (text === '' ? null : Number(text)),
  bool: (text) => text === 't',
};

type Row = Record<string, Value>;

/** Sets the columns of a row from their text. */
function parserOf(columns: typeof UNCHOSEN): (row: Row, text: string) => void {
  const names = columns.map(({ name }) => name);
  const parse = columns.map(({ kind }) => PARSERS[kind]);
  return (row, text) => {
    const texts = text.slice(1, -1).split(',');
    for (let place = 0; place < names.length; place++) row[names[place]!] = parse[place]!(texts[place]!);
  };
}

const setTerms = parserOf(TERMS);
const setFigures = parserOf(FIGURES);

/** All rows are copies of it, so that they have one shape, whose fields need no looking up. */
const EMPTY: Readonly<Row> = Object.fromEntries(ORDER_COLUMNS.map(({ name }) => [name, null]));

/** Rows with nothing but terms, by their text. */
const ROWS = new Map<string, Readonly<Row>>();

function rowOfTerms(terms: string): Readonly<Row> {
  const known = ROWS.get(terms);
  if (known !== undefined) return known;
  const row = { ...EMPTY };
  setTerms(row, terms);
  if (ROWS.size === TERMS_KEPT_MAX) ROWS.clear();
  ROWS.set(terms, row);
  return row;
}

export function unpackOrder({ figures, terms, ...names }: PackedOrderRow): OrderRow {
  const row = { ...rowOfTerms(terms), ...names };
  setFigures(row, figures);
  return row as unknown as OrderRow;
}
