import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Every acceptance looks a quote up by its id, and must not walk through all accounts of whoever asks. */
export class FindQuotesById1780000001710 implements MigrationInterface {
  name = 'FindQuotesById1780000001710';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE UNIQUE INDEX quotes_quote ON quotes (quote_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX quotes_quote');
  }
}
