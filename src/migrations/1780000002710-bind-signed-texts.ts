import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What signed text was first used for, in dialects whose signatures do not say it; null for nonces. */
export class BindSignedTexts1780000002710 implements MigrationInterface {
  name = 'BindSignedTexts1780000002710';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE signature_nonces ADD COLUMN used_for text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE signature_nonces DROP COLUMN used_for');
  }
}
