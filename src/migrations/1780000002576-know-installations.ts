import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which installation a database belongs to. The table is unlogged, so no base backup, standby or recovered copy has its
 * row: a copy gets another one. And since when the leader's connection lives, of its epoch: a process id may be that of
 * another connection on another server.
 */
export class KnowInstallations1780000002576 implements MigrationInterface {
  name = 'KnowInstallations1780000002576';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE UNLOGGED TABLE installation (
        is_only_row boolean PRIMARY KEY DEFAULT true CHECK (is_only_row),
        installation_id uuid NOT NULL
      );
      ALTER TABLE core_leader ADD COLUMN backend_epoch bigint, ADD COLUMN backend_start timestamptz;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE core_leader DROP COLUMN backend_epoch, DROP COLUMN backend_start;
      DROP TABLE installation;
    `);
  }
}
