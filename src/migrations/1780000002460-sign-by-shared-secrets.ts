import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys that sign by HMAC: their secrets are needed again, so they are sealed and not digested. */
export class SignBySharedSecrets1780000002460 implements MigrationInterface {
  name = 'SignBySharedSecrets1780000002460';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys
        ADD COLUMN sealed_secret bytea,
        ADD COLUMN previous_sealed_secret bytea,
        DROP CONSTRAINT api_keys_half,
        ADD CONSTRAINT api_keys_half CHECK (num_nonnulls(key_hash, public_key, sealed_secret) = 1);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM vault_data_keys WHERE context LIKE 'api\\_keys.sealed\\_secret:%';
      DELETE FROM api_keys WHERE sealed_secret IS NOT NULL;
      ALTER TABLE api_keys
        DROP CONSTRAINT api_keys_half,
        DROP COLUMN previous_sealed_secret,
        DROP COLUMN sealed_secret,
        ADD CONSTRAINT api_keys_half CHECK (num_nonnulls(key_hash, public_key) = 1);
    `);
  }
}
