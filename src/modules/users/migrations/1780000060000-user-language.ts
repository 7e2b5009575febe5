import type { MigrationInterface, QueryRunner } from 'typeorm';

/** In what language a user wants pages and mails; null for that of the service. */
export class UserLanguage1780000060000 implements MigrationInterface {
  name = 'UserLanguage1780000060000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users ADD COLUMN language text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users DROP COLUMN language');
  }
}
