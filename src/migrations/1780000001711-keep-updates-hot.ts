import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An update is HOT only where no column changes that an index or its condition names. The condition of
 * `positions_market` named the size, so every fill wrote two index entries anew; whether there is any size seldom
 * changes. And orders of one market are found along those of the account, in bounded steps, as are those of one
 * status: their own index was the most expensive part of storing an order.
 */
export class KeepUpdatesHot1780000001711 implements MigrationInterface {
  name = 'KeepUpdatesHot1780000001711';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX positions_market;
      ALTER TABLE positions ADD is_holder boolean NOT NULL
        GENERATED ALWAYS AS (size_lots <> 0 OR settled_lots <> 0) STORED;
      CREATE INDEX positions_market ON positions (market_id, account_id) WHERE is_holder;
      DROP INDEX orders_account_market;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX orders_account_market ON orders (account_id, market_id, order_id);
      ALTER TABLE positions DROP is_holder;
      CREATE INDEX positions_market ON positions (market_id, account_id) WHERE size_lots <> 0 OR settled_lots <> 0;
    `);
  }
}
