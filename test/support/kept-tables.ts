import type pg from 'pg';

/** Copies tables, so that a test may damage them. */
export async function keepTables(client: pg.ClientBase, tables: readonly string[]): Promise<void> {
  for (const table of tables) await client.query(`CREATE TABLE kept_${table} AS TABLE ${table}`);
}

/** Restores kept tables. */
export async function restoreTables(client: pg.ClientBase, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    const { rows } = await client.query<{ columns: string }>(
      `SELECT string_agg(quote_ident(attname), ', ') AS columns FROM pg_attribute
       WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
      [table],
    );
    const { columns } = rows[0]!;
    await client.query(
      `DELETE FROM ${table}; INSERT INTO ${table} (${columns}) SELECT ${columns} FROM kept_${table}`,
    );
  }
}

export async function dropKeptTables(client: pg.ClientBase, tables: readonly string[]): Promise<void> {
  for (const table of tables) await client.query(`DROP TABLE kept_${table}`);
}
