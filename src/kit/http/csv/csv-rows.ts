/** Lists as CSV: which routes answer them, and with which columns. */
import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';

export const CSV_FORMAT = 'csv-format';
/** The extension of the document that names the columns. */
export const CSV_COLUMNS = 'x-csv-columns';

/** A member of a row, or with a dot a member of a member. */
export type CsvColumn<Row> = (keyof Row & string) | `${keyof Row & string}.${string}`;

/** How the answers of a route become rows. */
export interface CsvFormat {
  /** In their order; the names are the header. */
  readonly columns: readonly string[];
  /** The member of the answer that lists the rows. */
  readonly rows: string;
}

/** A list route that answers `Accept: text/csv`, too: with all rows of its filter instead of a page. */
export function CsvRows(columns: CsvFormat['columns'], rows: CsvFormat['rows'] = 'data'): MethodDecorator {
  const format: CsvFormat = { columns, rows };
  return applyDecorators(SetMetadata(CSV_FORMAT, format), ApiExtension(CSV_COLUMNS, columns));
}
