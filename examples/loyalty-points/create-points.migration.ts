import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAcmePoints1790000000010 implements MigrationInterface {
  name = 'CreateAcmePoints1790000000010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE acme_points (account_id bigint PRIMARY KEY, trades bigint NOT NULL, volume numeric NOT NULL);
      CREATE TABLE acme_news_read (headline text NOT NULL);
      CREATE TABLE acme_points_months (account_id bigint, month date, volume numeric, PRIMARY KEY (account_id, month));
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE acme_points_months, acme_news_read, acme_points');
  }
}
