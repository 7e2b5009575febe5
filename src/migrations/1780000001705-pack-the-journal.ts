import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The commands of a journal row may be packed, and then they are no text; rows from before stay as they are. */
export class PackTheJournal1780000001705 implements MigrationInterface {
  name = 'PackTheJournal1780000001705';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE journal ALTER COLUMN commands DROP NOT NULL, ADD packed_commands bytea,
        ADD CONSTRAINT journal_has_commands CHECK ((commands IS NULL) <> (packed_commands IS NULL)) NOT VALID;
      ALTER TABLE journal ALTER COLUMN packed_commands SET STORAGE EXTERNAL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE journal DROP CONSTRAINT journal_has_commands, DROP packed_commands;
    `);
  }
}
