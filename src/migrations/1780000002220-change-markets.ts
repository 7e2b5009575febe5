import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Markets have other terms than they were made with. Orders that carry no fee rates of their own keep those of the
 * beginning.
 */
export class ChangeMarkets1780000002220 implements MigrationInterface {
  name = 'ChangeMarkets1780000002220';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE markets
        ADD COLUMN original_maker_fee_rate numeric(38,0),
        ADD COLUMN original_taker_fee_rate numeric(38,0),
        ADD COLUMN revision bigint
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE markets
        DROP COLUMN original_maker_fee_rate,
        DROP COLUMN original_taker_fee_rate,
        DROP COLUMN revision
    `);
  }
}
