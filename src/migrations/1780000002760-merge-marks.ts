import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Balances are marked at the ends of stretches four times as long: of each one's marks the last is kept. */
export class MergeMarks1780000002760 implements MigrationInterface {
  name = 'MergeMarks1780000002760';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM balance_marks mark
      WHERE sequence > (SELECT sequence / 262144 * 262144 FROM journal_cursors WHERE name = 'balance_marks')
        OR EXISTS (
          SELECT FROM balance_marks later
          WHERE later.account_id = mark.account_id AND later.asset = mark.asset AND later.sequence > mark.sequence
            AND later.sequence <= ((mark.sequence - 1) / 262144 + 1) * 262144);
      UPDATE balance_marks SET sequence = ((sequence - 1) / 262144 + 1) * 262144;
      UPDATE journal_cursors SET sequence = sequence / 262144 * 262144 WHERE name = 'balance_marks';
    `);
  }

  /** They are made again as they are read. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      TRUNCATE balance_marks;
      DELETE FROM journal_cursors WHERE name = 'balance_marks';
    `);
  }
}
