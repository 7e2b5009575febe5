import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether an account is frozen; written by the core alone, as all that the state of accounts is. */
export class FreezeAccounts1780000001540 implements MigrationInterface {
  name = 'FreezeAccounts1780000001540';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE accounts ADD COLUMN frozen boolean NOT NULL DEFAULT false;');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE accounts DROP COLUMN frozen;');
  }
}
