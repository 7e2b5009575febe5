import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What finds notes of reset passwords by their age. */
export class RetainBySetting1780000002410 implements MigrationInterface {
  name = 'RetainBySetting1780000002410';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX password_resets_age ON password_resets (reset_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX password_resets_age');
  }
}
