import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Terms that few orders have: what a market order was to spend, how much of an iceberg is shown, and order lists. */
export class AdvancedOrderTerms1780000002455 implements MigrationInterface {
  name = 'AdvancedOrderTerms1780000002455';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE orders
        ADD COLUMN quote_size numeric(38, 0),
        ADD COLUMN display_lots bigint,
        ADD COLUMN list_id bigint,
        ADD COLUMN list_role text,
        ADD COLUMN client_list_id text;
      CREATE INDEX orders_lists ON orders (account_id, list_id) WHERE list_id IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE orders
        DROP COLUMN quote_size,
        DROP COLUMN display_lots,
        DROP COLUMN list_id,
        DROP COLUMN list_role,
        DROP COLUMN client_list_id`);
  }
}
