import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where a trailing stop stands is told by those of its side of the market that were accepted later, too. */
export class FindTrailingStops1780000002500 implements MigrationInterface {
  name = 'FindTrailingStops1780000002500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX orders_trailing ON orders (market_id, side, order_id)
        WHERE type = 'trailing_stop' AND status = 'untriggered'
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX orders_trailing');
  }
}
