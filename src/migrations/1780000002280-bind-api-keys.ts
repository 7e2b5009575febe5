import type { MigrationInterface, QueryRunner } from 'typeorm';

/** API keys that only some networks may use; those from before may be used from anywhere. */
export class BindApiKeys1780000002280 implements MigrationInterface {
  name = 'BindApiKeys1780000002280';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys ADD COLUMN allowed_addresses text[]');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys DROP COLUMN allowed_addresses');
  }
}
