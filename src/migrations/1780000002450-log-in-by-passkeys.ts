import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions may have been logged in by a passkey. */
export class LogInByPasskeys1780000002450 implements MigrationInterface {
  name = 'LogInByPasskeys1780000002450';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE oauth_tokens
        DROP CONSTRAINT oauth_tokens_login_method_check,
        ADD CONSTRAINT oauth_tokens_login_method_check CHECK (login_method IN ('basic', 'query', 'passkey'))
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE oauth_tokens SET login_method = NULL WHERE login_method = 'passkey';
      ALTER TABLE oauth_tokens
        DROP CONSTRAINT oauth_tokens_login_method_check,
        ADD CONSTRAINT oauth_tokens_login_method_check CHECK (login_method IN ('basic', 'query'))
    `);
  }
}
