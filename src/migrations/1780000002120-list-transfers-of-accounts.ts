import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Transfers of trading accounts are listed as those of wallets are. */
export class ListTransfersOfAccounts1780000002120 implements MigrationInterface {
  name = 'ListTransfersOfAccounts1780000002120';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX wallet_transfers_account_out ON wallet_transfers (source_account_id, created_at, transfer_id)
        WHERE accepted_at IS NOT NULL AND source_type = 'account';
      CREATE INDEX wallet_transfers_account_in ON wallet_transfers (destination_account_id, created_at, transfer_id)
        WHERE accepted_at IS NOT NULL AND status = 'completed' AND destination_type = 'account';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX wallet_transfers_account_out, wallet_transfers_account_in');
  }
}
