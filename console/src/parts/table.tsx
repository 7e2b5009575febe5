import type { ComponentChildren, JSX } from 'preact';
import { type Paged } from '../live.js';
import { words } from '../words/index.js';
import { Failure } from './notice.jsx';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
  /** What a narrow window can do without. */
  readonly isWide?: boolean;
  /** Adds to the class of each cell. */
  readonly class?: string;
}

interface TableProps<Row> {
  /** What screen readers call it. */
  readonly label: string;
  /** The first names its row. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly classOf?: (row: Row) => string;
}

export function Table<Row>({ label, columns, rows, keyOf, classOf }: TableProps<Row>): JSX.Element {
  const classes = ({ isNumber, isWide, class: own }: Column<Row>): string =>
    [isNumber && 'number', isWide && 'wide', own].filter(Boolean).join(' ');
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classes(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} class={classOf?.(row)}>
              {columns.map((column) => (
                <td key={column.title} class={classes(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface PagedTableProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  readonly pages: Paged<Row>;
  /** What to say where there is nothing. */
  readonly none: string;
}

/** A list that is read a page at a time, with a button for the next one. */
export function PagedTable<Row>({ pages, none, ...table }: PagedTableProps<Row>): JSX.Element {
  const { rows, failure, more, isBusy, reload } = pages;
  return (
    <>
      {failure !== undefined && <Failure text={failure} onRetry={reload} />}
      {rows === undefined || rows.length === 0 ? (
        failure === undefined && (
          <p class="empty" role="status">
            {rows === undefined ? words.loading : none}
          </p>
        )
      ) : (
        <Table {...table} rows={rows} />
      )}
      {more !== undefined && (
        <button type="button" class="more" disabled={isBusy} onClick={more}>
          {words.more}
        </button>
      )}
    </>
  );
}
