import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Trades carry what they moved in columns of their own, instead of in three rows of `transfers` or more: the next leader
 * begins with it, and notes after which sequence. Transfers of earlier trades stay where they are.
 */
export class CarryTransfers1780000002750 implements MigrationInterface {
  name = 'CarryTransfers1780000002750';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE trades
        ADD maker_paid numeric(38,0),
        ADD maker_received numeric(38,0),
        ADD taker_paid numeric(38,0),
        ADD taker_received numeric(38,0),
        ADD pool_account_id bigint,
        ADD maker_balance_after numeric(38,0),
        ADD taker_balance_after numeric(38,0),
        ADD maker_base_after numeric(38,0),
        ADD taker_base_after numeric(38,0),
        ADD pool_balance_after numeric(38,0),
        ADD fees_balance_after numeric(38,0);
      ALTER TABLE core_projection ADD carried_after bigint;
    `);
  }

  /** Refused where trades carry transfers, which would be lost. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DO $$ BEGIN
        IF EXISTS (SELECT FROM trades WHERE maker_balance_after IS NOT NULL) THEN
          RAISE 'Trades carry transfers that are in no other table: restore a backup instead.';
        END IF;
      END $$;
      ALTER TABLE core_projection DROP carried_after;
      ALTER TABLE trades DROP maker_paid, DROP maker_received, DROP taker_paid, DROP taker_received,
        DROP pool_account_id, DROP maker_balance_after, DROP taker_balance_after, DROP maker_base_after,
        DROP taker_base_after, DROP pool_balance_after, DROP fees_balance_after;
    `);
  }
}
