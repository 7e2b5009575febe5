/** A table that keeps every past state of another table's rows. Its rows are only ever added. */
export interface History {
  readonly table: string;
  readonly columns: readonly string[];
}

/**
 * A statement that makes a change and adds it to the history atomically. `change` is an INSERT or UPDATE that returns
 * at least the history's columns. Returns what `change` returns.
 */
export function withHistory({ table, columns }: History, change: string): string {
  const names = columns.join(', ');
  return `WITH changed AS (${change}),
     recorded AS (INSERT INTO ${table} (${names}) SELECT ${names} FROM changed)
   SELECT * FROM changed`;
}
