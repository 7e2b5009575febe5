/** The effects of a journal row as rows with named columns, as `docs/journal.md` describes them. */
import type { Json } from '../../domain/proof/canonical-json.js';
import type { JournalEntry } from '../journal/journal-reader.js';
import { decodeEffects } from '../projection/effects.js';
import type { EffectKind } from '../projection/tables.js';
import type { Value } from '../tables/values.js';

/** A row of a table by its columns. Whole numbers beyond the safe ones are text, times are milliseconds. */
export type NamedRow = Record<string, Json>;

export interface EffectTable {
  readonly table: string;
  readonly kind: EffectKind;
  readonly rows: readonly NamedRow[];
}

/** Always the same for the same row of the journal: the tree's leaves are made of it. */
export function tablesOf({ effects, timeMs }: Pick<JournalEntry, 'effects' | 'timeMs'>): EffectTable[] {
  if (effects === null) return [];
  return decodeEffects(effects, timeMs).map(({ effect: { table, kind, columns }, rows }) => {
    // In the order of canonical JSON, which is then written without sorting.
    const places = columns
      .map(({ name }, place) => ({ name, place }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    return { table, kind, rows: rows.map((row) => namedRow(places, row)) };
  });
}

function namedRow(
  places: readonly { readonly name: string; readonly place: number }[],
  values: readonly Value[],
): NamedRow {
  const row: NamedRow = {};
  for (const { name, place } of places) {
    const value = values[place]!;
    row[name] = typeof value === 'bigint' ? value.toString() : value;
  }
  return row;
}
