import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Marks reports of banks that were read to their end: the same file again moves nothing. */
export class ReadBankReportsOnce1780000002611 implements MigrationInterface {
  name = 'ReadBankReportsOnce1780000002611';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE payout_reports ADD COLUMN completed_at timestamptz(3);
      CREATE INDEX payout_reports_completed ON payout_reports (rail, sha256) WHERE completed_at IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE payout_reports DROP COLUMN completed_at');
  }
}
