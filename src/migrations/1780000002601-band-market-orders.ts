import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far from the best price orders without a limit trade. */
export class BandMarketOrders1780000002601 implements MigrationInterface {
  name = 'BandMarketOrders1780000002601';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE markets ADD COLUMN market_order_band_bps bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE markets DROP COLUMN market_order_band_bps');
  }
}
