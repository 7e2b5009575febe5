import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A settlement of many holders is paid by several commands: what is still owed, and who was paid by which. */
export class SettleInChunks1780000001581 implements MigrationInterface {
  name = 'SettleInChunks1780000001581';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE market_books ADD owed_short_lots bigint;

      CREATE TABLE settlement_chunks (
        market_id text NOT NULL,
        sequence bigint NOT NULL,
        settlement_value numeric(38,0) NOT NULL,
        settled_at timestamptz NOT NULL,
        account_ids bigint[] NOT NULL,
        PRIMARY KEY (market_id, sequence)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE settlement_chunks;
      ALTER TABLE market_books DROP owed_short_lots;
    `);
  }
}
