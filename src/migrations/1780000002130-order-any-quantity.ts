import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pets are entries of a catalogue unless the setting says otherwise: orders have a quantity, and few keep their pet. */
export class OrderAnyQuantity1780000002130 implements MigrationInterface {
  name = 'OrderAnyQuantity1780000002130';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE purchase_orders
        ADD COLUMN quantity int NOT NULL DEFAULT 1 CONSTRAINT purchase_orders_quantity_check CHECK (quantity > 0),
        ADD COLUMN keeps_pet boolean NOT NULL DEFAULT true;
      ALTER TABLE purchase_orders ALTER COLUMN keeps_pet DROP DEFAULT;
      DROP INDEX purchase_orders_open_pet;
      CREATE UNIQUE INDEX purchase_orders_open_pet ON purchase_orders (pet_id)
        WHERE keeps_pet AND status <> 'delivered' AND NOT complete;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM purchase_orders WHERE NOT keeps_pet;
      DROP INDEX purchase_orders_open_pet;
      CREATE UNIQUE INDEX purchase_orders_open_pet ON purchase_orders (pet_id)
        WHERE status <> 'delivered' AND NOT complete;
      ALTER TABLE purchase_orders DROP COLUMN quantity, DROP COLUMN keeps_pet;
    `);
  }
}
