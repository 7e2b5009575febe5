import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Event markets that exclude each other, and what trades of whole sets of their contracts did to positions. */
export class GroupEvents1780000002490 implements MigrationInterface {
  name = 'GroupEvents1780000002490';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE event_groups (
        event_group_id text PRIMARY KEY,
        title text NOT NULL,
        market_ids text NOT NULL,
        quote_asset text NOT NULL,
        lot_size numeric(38,0) NOT NULL,
        pool_account_id bigint NOT NULL,
        created_at timestamptz NOT NULL
      );

      CREATE TABLE set_legs (
        market_id text NOT NULL,
        leg_id bigint NOT NULL,
        account_id bigint NOT NULL,
        side text NOT NULL,
        size_lots bigint NOT NULL,
        price numeric(38,0) NOT NULL,
        booked_at timestamptz NOT NULL,
        PRIMARY KEY (market_id, leg_id)
      );

      ALTER TABLE approvals DROP CONSTRAINT approvals_kind_check,
        ADD CONSTRAINT approvals_kind_check CHECK (kind IN ('settlement', 'settlement_correction', 'deposit',
          'adjustment', 'kyc_level', 'operator', 'credential_reset', 'unfreeze', 'payout', 'wallet_transfer',
          'factor_reset', 'group_settlement'));
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM approvals WHERE kind = 'group_settlement';
      ALTER TABLE approvals DROP CONSTRAINT approvals_kind_check,
        ADD CONSTRAINT approvals_kind_check CHECK (kind IN ('settlement', 'settlement_correction', 'deposit',
          'adjustment', 'kyc_level', 'operator', 'credential_reset', 'unfreeze', 'payout', 'wallet_transfer',
          'factor_reset'));
      DROP TABLE set_legs;
      DROP TABLE event_groups;
    `);
  }
}
