import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAcmeDeskLimits1790000000000 implements MigrationInterface {
  name = 'CreateAcmeDeskLimits1790000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE acme_desk_limits (
        account_id bigint PRIMARY KEY,
        max_size numeric(38, 0) NOT NULL CHECK (max_size > 0)
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE acme_desk_limits');
  }
}
