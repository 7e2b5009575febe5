import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Events in the order in which they were made, for who pulls them or wants one at a time. */
export class OrderAndPull1780000060100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhook_endpoints ALTER COLUMN url DROP NOT NULL, ADD COLUMN ordered boolean NOT NULL DEFAULT false;

      ALTER TABLE webhook_events
        ADD COLUMN made_by bigint NOT NULL DEFAULT 0,
        ADD COLUMN is_fanned_out boolean NOT NULL DEFAULT true;
      ALTER TABLE webhook_events ALTER COLUMN is_fanned_out SET DEFAULT false;
      CREATE INDEX webhook_events_waiting ON webhook_events (made_by, event_id) WHERE NOT is_fanned_out;

      ALTER TABLE webhook_deliveries
        DROP CONSTRAINT webhook_deliveries_status_check,
        ADD CONSTRAINT webhook_deliveries_status_check
          CHECK (status IN ('pending', 'delivered', 'failed', 'stored')),
        ADD COLUMN made_by bigint NOT NULL DEFAULT 0;
      CREATE INDEX webhook_deliveries_order ON webhook_deliveries (endpoint_id, made_by, event_id);
      CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (endpoint_id, delivery_id) WHERE status = 'failed';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX webhook_deliveries_failed, webhook_deliveries_order, webhook_events_waiting;
      DELETE FROM webhook_deliveries WHERE status = 'stored';
      ALTER TABLE webhook_deliveries
        DROP COLUMN made_by,
        DROP CONSTRAINT webhook_deliveries_status_check,
        ADD CONSTRAINT webhook_deliveries_status_check CHECK (status IN ('pending', 'delivered', 'failed'));
      ALTER TABLE webhook_events DROP COLUMN is_fanned_out, DROP COLUMN made_by;
      DELETE FROM webhook_endpoints WHERE url IS NULL;
      ALTER TABLE webhook_endpoints DROP COLUMN ordered, ALTER COLUMN url SET NOT NULL;
    `);
  }
}
