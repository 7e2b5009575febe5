import type { MigrationInterface, QueryRunner } from 'typeorm';

const KINDS = `'settlement', 'settlement_correction', 'deposit', 'adjustment', 'kyc_level', 'operator',
  'credential_reset', 'unfreeze', 'payout', 'wallet_transfer'`;

/** Operators propose to remove the second factor of who has lost it. */
export class ResetSecondFactors1780000002270 implements MigrationInterface {
  name = 'ResetSecondFactors1780000002270';

  async up(runner: QueryRunner): Promise<void> {
    await allowKinds(runner, `${KINDS}, 'factor_reset'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await allowKinds(runner, KINDS);
  }
}

async function allowKinds(runner: QueryRunner, kinds: string): Promise<void> {
  await runner.query(`
    ALTER TABLE approvals DROP CONSTRAINT approvals_kind_check;
    ALTER TABLE approvals ADD CONSTRAINT approvals_kind_check CHECK (kind IN (${kinds}));
  `);
}
