import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What reports of banks say that moved nothing. While a remark is open, silence does not count as paid. */
export class RemarkOnBankReports1780000002612 implements MigrationInterface {
  name = 'RemarkOnBankReports1780000002612';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE payout_remarks (
        remark_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        report_id bigint NOT NULL,
        rail text NOT NULL,
        payout_id bigint,
        file_id bigint,
        bank_reference text,
        code text,
        reason text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        cleared_by text,
        cleared_at timestamptz(3),
        note text
      );
      CREATE INDEX payout_remarks_open ON payout_remarks (remark_id) WHERE cleared_at IS NULL;
      CREATE INDEX payout_remarks_payout ON payout_remarks (payout_id) WHERE cleared_at IS NULL;
      CREATE INDEX payout_remarks_file ON payout_remarks (file_id) WHERE cleared_at IS NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE payout_remarks');
  }
}
