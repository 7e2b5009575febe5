import { type RunningPostgres, EmbeddedPostgres } from '../kit/database/embedded/embedded-postgres.js';
import { PrimaryClient } from '../kit/database/primary-client.js';

const NO_LOGGER = { log: () => undefined, warn: () => undefined };

/** What statements of the service ask for the time. */
const CLOCKS = { now: 'STABLE', statement_timestamp: 'STABLE', clock_timestamp: 'VOLATILE' };

/**
 * The embedded server of a data folder, held by the test while services come and go. Its clock can be ahead: statements
 * find functions of its own before those of PostgreSQL, by the same names.
 */
export class TestDatabase {
  private constructor(private readonly server: RunningPostgres) {}

  static async open(dataDir: string): Promise<TestDatabase> {
    const database = new TestDatabase(await new EmbeddedPostgres({ dataDir, logger: NO_LOGGER }).start());
    await database.setAhead(0);
    return database;
  }

  async setAhead(aheadMs: number): Promise<void> {
    const functions = Object.entries(CLOCKS).map(
      ([name, volatility]) =>
        `CREATE OR REPLACE FUNCTION public.${name}() RETURNS timestamptz LANGUAGE sql ${volatility} PARALLEL SAFE
         AS 'SELECT pg_catalog.${name}() + ${aheadMs} * interval ''1 millisecond''';`,
    );
    await this.query(`${functions.join('\n')}
      DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database());
      END $$`);
  }

  async query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]> {
    const client = new PrimaryClient({ connectionString: this.server.url });
    await client.connect();
    try {
      return (await client.query<Row>(text, values && [...values])).rows;
    } finally {
      await client.end();
    }
  }

  async close(): Promise<void> {
    await this.server.stop();
  }
}
