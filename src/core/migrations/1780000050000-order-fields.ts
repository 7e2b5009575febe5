import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What plugins keep with orders, as JSON. It has a table of its own: the rows of orders are written anew with each fill,
 * and few have any. As text, which the projector writes as it is; an index on a field reads it as jsonb.
 */
export class OrderFields1780000050000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE order_fields (
        account_id bigint NOT NULL,
        order_id bigint NOT NULL,
        fields text NOT NULL,
        PRIMARY KEY (account_id, order_id)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE order_fields');
  }
}
