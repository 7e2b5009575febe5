import type { MigrationInterface, QueryRunner } from 'typeorm';

const KINDS = `'settlement', 'settlement_correction', 'deposit', 'adjustment', 'kyc_level', 'operator',
  'credential_reset', 'unfreeze', 'payout', 'wallet_transfer', 'factor_reset', 'group_settlement',
  'group_settlement_correction'`;

/** Modules declare the kinds of approvals, those of plugins too, so no statement can list them. */
export class DeclareApprovalKinds1780000002770 implements MigrationInterface {
  name = 'DeclareApprovalKinds1780000002770';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE approvals DROP CONSTRAINT approvals_kind_check');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM approvals WHERE kind NOT IN (${KINDS});
      ALTER TABLE approvals ADD CONSTRAINT approvals_kind_check CHECK (kind IN (${KINDS}));
    `);
  }
}
