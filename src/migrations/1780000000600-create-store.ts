import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Purchase orders of pets. An open one holds its pet, so a pet has at most one. The pet itself is only
 * named: orders outlive the pets that they were for.
 */
export class CreateStore1780000000600 implements MigrationInterface {
  name = 'CreateStore1780000000600';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SEQUENCE purchase_orders_order_id_seq MAXVALUE 9007199254740991;
      CREATE TABLE purchase_orders (
        order_id bigint PRIMARY KEY CHECK (order_id BETWEEN 1 AND 9007199254740991),
        owner text NOT NULL,
        pet_id bigint NOT NULL,
        ship_date timestamptz,
        status text NOT NULL CHECK (status IN ('placed', 'approved', 'delivered')),
        complete boolean NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      ALTER SEQUENCE purchase_orders_order_id_seq OWNED BY purchase_orders.order_id;
      CREATE UNIQUE INDEX purchase_orders_open_pet ON purchase_orders (pet_id)
        WHERE status <> 'delivered' AND NOT complete;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE purchase_orders');
  }
}
