import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What all processes hold in memory: the values of shared caches, and what transactions have changed of such. */
export class Changes1780000020000 implements MigrationInterface {
  name = 'Changes1780000020000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE changes (
        made_by bigint,
        topic text,
        changed text,
        made_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (made_by, topic, changed)
      );
      CREATE TABLE shared_values (
        cache text,
        key text,
        value jsonb NOT NULL,
        PRIMARY KEY (cache, key)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE shared_values, changes');
  }
}
