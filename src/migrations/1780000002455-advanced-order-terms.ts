import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Terms that few orders have: what a market order was to spend, and how much of an iceberg is shown. */
export class AdvancedOrderTerms1780000002455 implements MigrationInterface {
  name = 'AdvancedOrderTerms1780000002455';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE orders
        ADD COLUMN quote_size numeric(38, 0),
        ADD COLUMN display_lots bigint`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE orders DROP COLUMN quote_size, DROP COLUMN display_lots');
  }
}
