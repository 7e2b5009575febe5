import type { MigrationInterface, QueryRunner } from 'typeorm';

/** API keys that reach one account; those from before reach all of their owner's. */
export class BindKeysToAccounts1780000002360 implements MigrationInterface {
  name = 'BindKeysToAccounts1780000002360';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys ADD COLUMN account_id bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys DROP COLUMN account_id');
  }
}
