import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions know how their user logged in: a password is set by those alone that were logged in well a moment ago. */
export class KeepLoginMethods1780000001564 implements MigrationInterface {
  name = 'KeepLoginMethods1780000001564';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE oauth_tokens ADD COLUMN login_method text
        CONSTRAINT oauth_tokens_login_method_check CHECK (login_method IN ('basic', 'query'))
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE oauth_tokens DROP COLUMN login_method');
  }
}
