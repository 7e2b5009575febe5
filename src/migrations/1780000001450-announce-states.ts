import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Makes the histories of payouts, transfers and KYC cases outboxes: a state is written in the transaction of
 * its change, and says itself whether it was announced to webhooks. What happened before there were any is
 * not announced.
 */
export class AnnounceStates1780000001450 implements MigrationInterface {
  name = 'AnnounceStates1780000001450';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['payout_states', 'wallet_transfer_states', 'kyc_states']) {
      await runner.query(`
        ALTER TABLE ${table} ADD COLUMN is_announced boolean NOT NULL DEFAULT true;
        ALTER TABLE ${table} ALTER COLUMN is_announced SET DEFAULT false;
        CREATE INDEX ${table}_unannounced ON ${table} (state_id) WHERE NOT is_announced;
      `);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['payout_states', 'wallet_transfer_states', 'kyc_states']) {
      await runner.query(`ALTER TABLE ${table} DROP COLUMN is_announced`);
    }
  }
}
