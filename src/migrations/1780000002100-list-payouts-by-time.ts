import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Payouts are listed by the time at which they were made, so that a period of long ago costs no walk to it. */
export class ListPayoutsByTime1780000002100 implements MigrationInterface {
  name = 'ListPayoutsByTime1780000002100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX payouts_owner_created ON payouts (owner, created_at, payout_id) WHERE accepted_at IS NOT NULL;
      CREATE INDEX payouts_created ON payouts (created_at, payout_id) WHERE accepted_at IS NOT NULL;
      CREATE INDEX payouts_status_created ON payouts (status, created_at, payout_id) WHERE accepted_at IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX payouts_owner_created, payouts_created, payouts_status_created');
  }
}
