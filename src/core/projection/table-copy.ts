/**
 * A table and its copy, which stands before it in the search path for as long as the transaction lasts; how the two
 * differ, and how the table is made like its copy.
 */
import type pg from 'pg';

/** Rows of each kind, by what was found of them in the table. */
export interface TableDifference {
  readonly table: string;
  /** In the copy alone. */
  readonly missing: number;
  /** In the table alone. */
  readonly surplus: number;
  /** In both, with other values. */
  readonly changed: number;
  /** The first of them, in words. */
  readonly examples: readonly string[];
}

const EXAMPLES_MAX = 5;

export class TableCopy {
  private constructor(
    private readonly client: pg.ClientBase,
    readonly table: string,
    /** The name of the table itself, in its schema. */
    private readonly original: string,
    private readonly key: readonly string[],
    /** All columns except generated ones. */
    private readonly columns: readonly string[],
    private readonly compared: string,
  ) {}

  /**
   * Makes an empty one; from then on the table's bare name means the copy. All rows are compared, or those alone for
   * which an SQL condition holds.
   */
  static async make(client: pg.ClientBase, table: string, compared = 'true'): Promise<TableCopy> {
    const { rows } = await client.query<{ original: string; column: string; isKey: boolean }>(
      `SELECT format('%I.%I', nspname, relname) AS original, quote_ident(attname) AS column,
         attnum = ANY (indkey) AS "isKey"
       FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
         JOIN pg_index i ON indrelid = c.oid AND indisprimary
         JOIN pg_attribute a ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
       WHERE c.oid = $1::regclass ORDER BY attnum`,
      [table],
    );
    const original = rows[0]!.original;
    const key = rows.filter(({ isKey }) => isKey).map(({ column }) => column);
    const columns = rows.map(({ column }) => column);
    await client.query(`
      CREATE TEMP TABLE ${table} (LIKE ${original} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED, PRIMARY KEY (${key.join(', ')}))
      ON COMMIT DROP`);
    return new TableCopy(client, table, original, key, columns, compared);
  }

  async compare(): Promise<TableDifference> {
    const { client, table, original, key, columns, compared } = this;
    const same = key.map((name) => `stored.${name} = copy.${name}`).join(' AND ');
    await client.query(`
      DROP TABLE IF EXISTS ${this.differing};
      CREATE TEMP TABLE ${this.differing} ON COMMIT DROP AS
      SELECT ${key.map((name) => `coalesce(copy.${name}, stored.${name}) AS ${name}`).join(', ')},
        CASE WHEN stored.${key[0]} IS NULL THEN 'missing' WHEN copy.${key[0]} IS NULL THEN 'surplus'
          ELSE 'changed' END AS how_it_differs,
        concat_ws(', ', ${columns.map((name) => `CASE WHEN stored.${name} IS DISTINCT FROM copy.${name} THEN '${name}' END`).join(', ')}) AS where_it_differs
      FROM (SELECT * FROM ${original} WHERE ${compared}) AS stored
      FULL JOIN (SELECT * FROM ${table} WHERE ${compared}) AS copy ON ${same}
      WHERE ${columns.map((name) => `stored.${name} IS DISTINCT FROM copy.${name}`).join(' OR ')}`);
    const counts = await client.query<{ kind: string; count: string }>(
      `SELECT how_it_differs AS kind, count(*) FROM ${this.differing} GROUP BY 1`,
    );
    const count = (kind: string): number => Number(counts.rows.find((row) => row.kind === kind)?.count ?? 0);
    const examples = await client.query<{ text: string }>(
      `SELECT concat_ws(', ', ${key.map((name) => `'${name} ' || ${name}`).join(', ')}) || ': ' ||
         CASE how_it_differs WHEN 'missing' THEN 'is missing' WHEN 'surplus' THEN 'is not in the journal'
           ELSE 'differs in ' || where_it_differs END AS text
       FROM ${this.differing} ORDER BY ${key.join(', ')} LIMIT ${EXAMPLES_MAX}`,
    );
    return {
      table,
      missing: count('missing'),
      surplus: count('surplus'),
      changed: count('changed'),
      examples: examples.rows.map(({ text }) => text),
    };
  }

  /** Makes the table like its copy, as the last comparison has found them. */
  async repair(): Promise<void> {
    const { client, table, original, key, columns } = this;
    const found = (alias: string, kind: string): string =>
      `${key.map((name) => `differing.${name} = ${alias}.${name}`).join(' AND ')} AND how_it_differs = '${kind}'`;
    await client.query(
      `DELETE FROM ${original} AS stored USING ${this.differing} AS differing WHERE ${found('stored', 'surplus')}`,
    );
    await client.query(
      `UPDATE ${original} AS stored SET ${columns.map((name) => `${name} = copy.${name}`).join(', ')}
       FROM ${this.differing} AS differing JOIN ${table} AS copy ON ${found('copy', 'changed')}
       WHERE ${key.map((name) => `stored.${name} = copy.${name}`).join(' AND ')}`,
    );
    const list = columns.join(', ');
    await client.query(
      `INSERT INTO ${original} (${list})
       SELECT ${columns.map((name) => `copy.${name}`).join(', ')}
       FROM ${table} AS copy JOIN ${this.differing} AS differing ON ${found('copy', 'missing')}`,
    );
  }

  private get differing(): string {
    return `differing_${this.table}`;
  }
}
