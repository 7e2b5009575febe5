import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Users know the first of those who made one another down to them, so that a chain of users shares one budget,
 * which is counted by one look into an index. Whom an operator, a client or the service made is the first of
 * a chain.
 */
export class CountUsersByRoot1780000001562 implements MigrationInterface {
  name = 'CountUsersByRoot1780000001562';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE users ADD COLUMN creation_root_id bigint
        CONSTRAINT users_creation_root_id_fkey REFERENCES users (user_id);

      WITH RECURSIVE made AS (
        SELECT one.user_id, creator.user_id AS root_id
        FROM users one JOIN users creator ON one.created_by = 'user:' || creator.user_id
        WHERE NOT creator.is_operator AND NOT EXISTS (
          SELECT FROM users maker WHERE creator.created_by = 'user:' || maker.user_id AND NOT maker.is_operator)
        UNION ALL
        SELECT one.user_id, made.root_id
        FROM made JOIN users creator ON creator.user_id = made.user_id AND NOT creator.is_operator
        JOIN users one ON one.created_by = 'user:' || made.user_id
      )
      UPDATE users SET creation_root_id = made.root_id FROM made WHERE users.user_id = made.user_id;

      CREATE INDEX users_creation_root ON users (creation_root_id, created_at)
        WHERE creation_root_id IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX users_creation_root;
      ALTER TABLE users DROP COLUMN creation_root_id;
    `);
  }
}
