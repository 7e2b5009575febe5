import type { MigrationInterface, QueryRunner } from 'typeorm';

const KINDS = `'settlement', 'settlement_correction', 'deposit', 'adjustment', 'kyc_level', 'operator',
  'credential_reset', 'unfreeze', 'payout', 'wallet_transfer', 'factor_reset', 'group_settlement'`;

/** Corrections of the settlements of event groups, which take two persons. */
export class CorrectGroups1780000002560 implements MigrationInterface {
  name = 'CorrectGroups1780000002560';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE approvals DROP CONSTRAINT approvals_kind_check,
        ADD CONSTRAINT approvals_kind_check CHECK (kind IN (${KINDS}, 'group_settlement_correction'));
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM approvals WHERE kind = 'group_settlement_correction';
      ALTER TABLE approvals DROP CONSTRAINT approvals_kind_check,
        ADD CONSTRAINT approvals_kind_check CHECK (kind IN (${KINDS}));
    `);
  }
}
