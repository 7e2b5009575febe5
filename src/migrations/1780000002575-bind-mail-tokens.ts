import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the address was verified to which a token was sent: a token is void once it was changed, even if it is back. */
export class BindMailTokens1780000002575 implements MigrationInterface {
  name = 'BindMailTokens1780000002575';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE mail_tokens ADD COLUMN email_verified_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE mail_tokens DROP COLUMN email_verified_at');
  }
}
