import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Terms that few orders have: what a market order was to spend, how much of an iceberg is shown, order lists, trailing stops. */
export class AdvancedOrderTerms1780000002455 implements MigrationInterface {
  name = 'AdvancedOrderTerms1780000002455';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE orders
        ADD COLUMN quote_size numeric(38, 0),
        ADD COLUMN display_lots bigint,
        ADD COLUMN list_id bigint,
        ADD COLUMN list_role text,
        ADD COLUMN client_list_id text,
        ADD COLUMN stop_trigger text,
        ADD COLUMN trailing_ticks bigint,
        ADD COLUMN trailing_bps bigint,
        ADD COLUMN best_ticks bigint,
        ADD COLUMN origin text;
      CREATE INDEX orders_lists ON orders (account_id, list_id) WHERE list_id IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE orders
        DROP COLUMN quote_size,
        DROP COLUMN display_lots,
        DROP COLUMN list_id,
        DROP COLUMN list_role,
        DROP COLUMN client_list_id,
        DROP COLUMN stop_trigger,
        DROP COLUMN trailing_ticks,
        DROP COLUMN trailing_bps,
        DROP COLUMN best_ticks,
        DROP COLUMN origin`);
  }
}
