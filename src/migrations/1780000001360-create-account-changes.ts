import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The streams of accounts: one row for each commit that changed an account, numbered without gaps within
 * the account, with the orders that it changed. What was filled and what the balances became is found from
 * the ledger sequences of two rows, so it is not written another time.
 */
export class CreateAccountChanges1780000001360 implements MigrationInterface {
  name = 'CreateAccountChanges1780000001360';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_changes (
        account_id bigint NOT NULL,
        sequence bigint NOT NULL,
        ledger_sequence bigint NOT NULL,
        order_ids text NOT NULL,
        PRIMARY KEY (account_id, sequence)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account_changes;');
  }
}
