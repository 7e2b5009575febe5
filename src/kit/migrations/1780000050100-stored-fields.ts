import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What plugins keep with things, by the kind and the id of each: apart from the tables of the things, which few requests
 * would read it with.
 */
export class StoredFields1780000050100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE stored_fields (
        thing text NOT NULL,
        id text NOT NULL,
        fields jsonb NOT NULL,
        PRIMARY KEY (thing, id)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE stored_fields');
  }
}
