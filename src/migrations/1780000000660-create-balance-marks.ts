import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Where balances stood at regular places of the ledger sequence, so that a balance of any past moment is the
 * nearest mark and the few transfers after it, however much history there is.
 */
export class CreateBalanceMarks1780000000660 implements MigrationInterface {
  name = 'CreateBalanceMarks1780000000660';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE balance_marks (
        account_id bigint NOT NULL,
        asset text NOT NULL,
        sequence bigint NOT NULL,
        balance numeric(38,0) NOT NULL,
        PRIMARY KEY (account_id, asset, sequence)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE balance_marks');
  }
}
