import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Checkpoints in pages: as one text they could not grow beyond what a string holds. Older ones stay as they are. */
export class PageCheckpoints1780000001600 implements MigrationInterface {
  name = 'PageCheckpoints1780000001600';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE journal_checkpoints
        ALTER COLUMN state DROP NOT NULL,
        ADD COLUMN time_ms bigint,
        ADD COLUMN pages integer,
        ADD COLUMN pages_hash text,
        ADD CONSTRAINT journal_checkpoints_whole CHECK (state IS NOT NULL OR
          (time_ms IS NOT NULL AND pages IS NOT NULL AND pages_hash IS NOT NULL));

      CREATE TABLE journal_checkpoint_pages (
        sequence bigint NOT NULL,
        engine_version integer NOT NULL,
        page integer NOT NULL,
        part text NOT NULL,
        rows text NOT NULL,
        PRIMARY KEY (sequence, engine_version, page),
        FOREIGN KEY (sequence, engine_version) REFERENCES journal_checkpoints (sequence, engine_version)
          ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE journal_checkpoint_pages;
      DELETE FROM journal_checkpoints WHERE state IS NULL;
      ALTER TABLE journal_checkpoints
        DROP CONSTRAINT journal_checkpoints_whole,
        DROP COLUMN time_ms,
        DROP COLUMN pages,
        DROP COLUMN pages_hash,
        ALTER COLUMN state SET NOT NULL;
    `);
  }
}
