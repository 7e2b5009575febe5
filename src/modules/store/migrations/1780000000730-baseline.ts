import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Purchase orders of pets. */
export class StoreBaseline1780000000730 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SEQUENCE purchase_orders_order_id_seq MAXVALUE 9007199254740991;
      -- Pets are only named: orders outlive them. An open order keeps its pet where \`keeps_pet\` says so.
      CREATE TABLE purchase_orders (
        order_id bigint PRIMARY KEY CHECK (order_id BETWEEN 1 AND 9007199254740991),
        owner text NOT NULL,
        pet_id bigint NOT NULL,
        ship_date timestamptz,
        status text NOT NULL CHECK (status IN ('placed', 'approved', 'delivered')),
        complete boolean NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        quantity int NOT NULL DEFAULT 1 CHECK (quantity > 0),
        keeps_pet boolean NOT NULL
      );
      CREATE UNIQUE INDEX purchase_orders_open_pet ON purchase_orders (pet_id)
        WHERE keeps_pet AND status <> 'delivered' AND NOT complete;
      CREATE INDEX purchase_orders_owner ON purchase_orders (owner, order_id);
      ALTER SEQUENCE purchase_orders_order_id_seq OWNED BY purchase_orders.order_id;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE purchase_orders;
    `);
  }
}
