import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A commit writes its journal row alone, with what the commands did to the tables; the projector brings the
 * tables up to it afterwards, and `core_projection` says how far they are. So far they are at the last commit.
 */
export class ProjectFromTheJournal1780000001700 implements MigrationInterface {
  name = 'ProjectFromTheJournal1780000001700';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE journal ADD effects bytea;
      ALTER TABLE journal ALTER COLUMN effects SET STORAGE EXTERNAL;

      CREATE TABLE core_projection (
        id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
        sequence bigint NOT NULL,
        state_parts text
      ) WITH (fillfactor = 10);
      INSERT INTO core_projection (sequence, state_parts) SELECT last_sequence, state_parts FROM core_leader;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE core_projection;
      ALTER TABLE journal DROP effects;
    `);
  }
}
