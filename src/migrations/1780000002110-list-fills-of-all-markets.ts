import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The fills of an account are listed over all markets, in the order of the ledger. */
export class ListFillsOfAllMarkets1780000002110 implements MigrationInterface {
  name = 'ListFillsOfAllMarkets1780000002110';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX fills_account ON fills (account_id, sequence)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX fills_account');
  }
}
