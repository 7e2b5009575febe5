/**
 * Makes long histories out of a shorter one: every row that its orders left is copied, with ids below zero. So the
 * copies are older than everything that the service wrote, take no id that it will give, and change nothing that it
 * has in memory; what grows are the tables and their indexes. The journal stays as it is: nothing but its end is
 * ever written, and orders read nothing of it.
 */
import pg from 'pg';
import { showProgress } from '../../src/kit/progress.js';
import type { BenchService } from './bench-service.js';

/** Where rows come with orders; a table that the service does not have is left out. */
const TABLES: Readonly<Record<string, { readonly condition: string }>> = {
  // A copy of an order that lives would live too.
  orders: { condition: `status = 'filled'` },
  trades: { condition: 'true' },
  transfers: { condition: 'true' },
  fills: { condition: 'true' },
  account_changes: { condition: 'true' },
  command_keys: { condition: 'true' },
};
/** What is not in the tables by then is not copied. */
const CAUGHT_UP_MS_MAX = 60_000;
/** Numbers that come from the ledger's sequence, or an account's own; those of accounts stay. */
const NUMBERED = /^(?:.*_)?(?:order_id|trade_id|transfer_id|sequence)$/;
/** Texts that nothing else may have. */
const UNIQUE_TEXTS = ['client_order_id', 'key'];

interface Column {
  readonly column_name: string;
  readonly data_type: string;
}

export class History {
  private copies = 0;

  private constructor(
    private readonly client: pg.Client,
    /** For each table the statement that makes the copy of the number `$1`. */
    private readonly statements: ReadonlyMap<string, string>,
    /** How far the numbers of one copy are from those of the next. */
    private readonly span: number,
  ) {}

  /** What the service has done until now is what is copied. */
  static async of(service: BenchService): Promise<History> {
    await service.caughtUp(CAUGHT_UP_MS_MAX);
    const client = new pg.Client({ connectionString: service.databaseUrl });
    await client.connect();
    await client.query('SET synchronous_commit = off');
    const statements = new Map<string, string>();
    const span = await greatestNumber(client);
    for (const [table, { condition }] of Object.entries(TABLES)) {
      const columns = await columnsOf(client, table);
      if (columns.length === 0) continue;
      await client.query(`CREATE TEMP TABLE seed_${table} AS SELECT * FROM ${table} WHERE ${condition}`);
      const names = columns.map(({ column_name }) => column_name);
      const values = columns.map((column) => valueOf(column, span));
      statements.set(
        table,
        `INSERT INTO ${table} (${names.join(', ')}) SELECT ${values.join(', ')} FROM seed_${table}`,
      );
    }
    return new History(client, statements, span);
  }

  /** Copies until the history is `times` as long; returns the number of orders. */
  async growTo(times: number): Promise<number> {
    const progress = showProgress('Copying history', times);
    const before = this.copies;
    this.copies = times - 1;
    // The oldest first, so that ids rise as they would.
    for (let copy = this.copies; copy > before; copy--) {
      for (const statement of this.statements.values()) await this.client.query(statement, [copy]);
      progress.update(times - copy);
    }
    progress.stop();
    // Copies of trades carry their transfers as the trades do.
    await this.client.query('UPDATE core_projection SET carried_after = least(carried_after, $1)', [
      -this.copies * this.span,
    ]);
    // Autovacuum would do this at an arbitrary moment.
    for (const table of this.statements.keys()) await this.client.query(`VACUUM (ANALYZE) ${table}`);
    await this.client.query('CHECKPOINT');
    const { rows } = await this.client.query<{ orders: string }>('SELECT count(*) AS orders FROM orders');
    return Number(rows[0]!.orders);
  }

  async close(): Promise<void> {
    await this.client.end();
  }
}

async function greatestNumber(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ greatest: string }>(
    'SELECT sequence AS greatest FROM core_projection',
  );
  return Number(rows[0]!.greatest) + 1;
}

async function columnsOf(client: pg.Client, table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `SELECT column_name, data_type FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER' ORDER BY ordinal_position`,
    [table],
  );
  return rows;
}

function valueOf({ column_name: name, data_type: type }: Column, span: number): string {
  if (type === 'bigint' && NUMBERED.test(name)) return `${name} - $1::bigint * ${span}`;
  if (UNIQUE_TEXTS.includes(name)) return `${name} || '~' || $1::bigint`;
  return name;
}
