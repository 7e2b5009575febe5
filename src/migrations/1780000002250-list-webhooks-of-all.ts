import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Operators look for the webhooks of all owners that fail or are disabled: few among many. */
export class ListWebhooksOfAll1780000002250 implements MigrationInterface {
  name = 'ListWebhooksOfAll1780000002250';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX webhook_endpoints_failing ON webhook_endpoints (endpoint_id)
        WHERE deleted_at IS NULL AND disabled_at IS NULL AND failing_since IS NOT NULL;
      CREATE INDEX webhook_endpoints_disabled ON webhook_endpoints (endpoint_id)
        WHERE deleted_at IS NULL AND disabled_at IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX webhook_endpoints_disabled, webhook_endpoints_failing');
  }
}
