import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a leader must find again of stops that wait to be collected, and the limits on open orders and stops. */
export class BoundStops1780000001580 implements MigrationInterface {
  name = 'BoundStops1780000001580';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE market_books ADD pending_low_ticks bigint, ADD pending_high_ticks bigint;

      CREATE TABLE trading_limits (
        id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
        open_orders_max integer NOT NULL,
        open_stops_max integer NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE trading_limits;
      ALTER TABLE market_books DROP pending_low_ticks, DROP pending_high_ticks;
    `);
  }
}
