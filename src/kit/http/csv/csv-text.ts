import { type Options, stringify } from 'csv-stringify/sync';
import type { CsvFormat } from './csv-rows.js';

/** Numbers keep their sign; a spreadsheet reads them as what they are. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** A text that a spreadsheet would take for a formula is preceded by an apostrophe. */
const castText: NonNullable<Options['cast']>['string'] = (value) => ({
  value,
  escape_formulas: !NUMBER.test(value),
});

/** Rows as RFC 4180 has them. Lists and objects in cells are JSON. */
export function csvText(rows: readonly object[], { columns }: CsvFormat, isFirst: boolean): string {
  return stringify([...rows], {
    columns: columns.map((column) => ({ key: column, header: column })),
    header: isFirst,
    record_delimiter: 'windows',
    quoted_match: /[\r\n]/,
    cast: { string: castText, boolean: String },
  });
}
