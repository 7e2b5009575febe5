import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who made the owner of an account, and how many open orders and stops all accounts of one root may have. */
export class BoundOwners1780000002600 implements MigrationInterface {
  name = 'BoundOwners1780000002600';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE accounts ADD COLUMN root text;
      ALTER TABLE trading_limits
        ADD COLUMN owner_open_orders_max integer NOT NULL DEFAULT 20000,
        ADD COLUMN owner_open_stops_max integer NOT NULL DEFAULT 1000;
      ALTER TABLE trading_limits
        ALTER COLUMN owner_open_orders_max DROP DEFAULT,
        ALTER COLUMN owner_open_stops_max DROP DEFAULT;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE trading_limits DROP COLUMN owner_open_orders_max, DROP COLUMN owner_open_stops_max;
      ALTER TABLE accounts DROP COLUMN root;
    `);
  }
}
