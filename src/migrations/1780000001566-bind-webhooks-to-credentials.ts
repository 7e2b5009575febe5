import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Webhooks know the credential that made them, and end with it. Of those that are there, what a client made for a
 * user counts as the user's: nothing was kept that would tell them apart.
 */
export class BindWebhooksToCredentials1780000001566 implements MigrationInterface {
  name = 'BindWebhooksToCredentials1780000001566';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhook_endpoints ADD COLUMN credential text;
      UPDATE webhook_endpoints SET credential = owner;
      ALTER TABLE webhook_endpoints ALTER COLUMN credential SET NOT NULL,
        DROP CONSTRAINT webhook_endpoints_disabled_check,
        ADD CONSTRAINT webhook_endpoints_disabled_check CHECK (
          disabled_reason IN ('owner', 'gone', 'failing', 'credential'));

      DROP INDEX webhook_endpoints_account_owner;
      CREATE INDEX webhook_endpoints_account_owner ON webhook_endpoints (account_owner, endpoint_id)
        WHERE deleted_at IS NULL;
      CREATE INDEX webhook_endpoints_credential_gone ON webhook_endpoints (disabled_at)
        WHERE disabled_reason = 'credential';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX webhook_endpoints_credential_gone;
      DROP INDEX webhook_endpoints_account_owner;
      CREATE INDEX webhook_endpoints_account_owner ON webhook_endpoints (account_owner)
        WHERE disabled_at IS NULL AND deleted_at IS NULL;
      UPDATE webhook_endpoints SET disabled_reason = 'owner' WHERE disabled_reason = 'credential';
      ALTER TABLE webhook_endpoints DROP COLUMN credential,
        DROP CONSTRAINT webhook_endpoints_disabled_check,
        ADD CONSTRAINT webhook_endpoints_disabled_check CHECK (disabled_reason IN ('owner', 'gone', 'failing'));
    `);
  }
}
