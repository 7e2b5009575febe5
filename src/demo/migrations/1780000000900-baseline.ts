import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which demo data was made. */
export class DemoBaseline1780000000900 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE seeds (
        name text PRIMARY KEY,
        completed_at timestamptz
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE seeds;
    `);
  }
}
