import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Roles that an outside identity gives, apart from those that operators give. */
export class IdentityRoles1780000070000 implements MigrationInterface {
  name = 'IdentityRoles1780000070000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE users ADD COLUMN identity_roles text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users DROP COLUMN identity_roles');
  }
}
