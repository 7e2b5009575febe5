import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Operators in roles; `is_operator` goes on to mean `admin`, for processes that know no other. */
export class AddOperatorRoles1780000040000 implements MigrationInterface {
  name = 'AddOperatorRoles1780000040000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE users ADD COLUMN operator_roles text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users DROP COLUMN operator_roles');
  }
}
