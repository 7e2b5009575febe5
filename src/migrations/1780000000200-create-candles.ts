import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Candles of every interval, a projection of `trades`: read by market, interval and time, and updated
 * in place while an interval runs.
 */
export class CreateCandles1780000000200 implements MigrationInterface {
  name = 'CreateCandles1780000000200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE candles (
        market_id text NOT NULL,
        interval_seconds integer NOT NULL,
        start timestamptz NOT NULL,
        open_ticks bigint NOT NULL,
        high_ticks bigint NOT NULL,
        low_ticks bigint NOT NULL,
        close_ticks bigint NOT NULL,
        volume_lots numeric(38,0) NOT NULL,
        PRIMARY KEY (market_id, interval_seconds, start)
      ) WITH (fillfactor = 90);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM journal_cursors WHERE name LIKE 'candles:%';
      DROP TABLE candles;
    `);
  }
}
