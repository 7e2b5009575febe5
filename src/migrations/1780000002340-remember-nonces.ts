import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The nonces of signed requests, so that none of them passes twice. */
export class RememberNonces1780000002340 implements MigrationInterface {
  name = 'RememberNonces1780000002340';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE signature_nonces (
        api_key_id text NOT NULL,
        nonce text NOT NULL,
        expires_at timestamptz NOT NULL,
        PRIMARY KEY (api_key_id, nonce)
      );
      CREATE INDEX signature_nonces_expiry ON signature_nonces (expires_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE signature_nonces');
  }
}
