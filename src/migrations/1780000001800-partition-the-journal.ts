import type { MigrationInterface, QueryRunner } from 'typeorm';

/** As in `journal-partitions.ts` when this was written: the first range ends at a multiple of it. */
const SEQUENCES_PER_PARTITION = 10_000_000;

/**
 * The journal in ranges of the sequence, so that what was archived is dropped by the partition. The table of
 * before becomes the first partition as it is. What is archived leaves its place and time in `journal_archived`.
 */
export class PartitionTheJournal1780000001800 implements MigrationInterface {
  name = 'PartitionTheJournal1780000001800';

  async up(runner: QueryRunner): Promise<void> {
    const [journal] = (await runner.query('SELECT coalesce(max(last_sequence), 0) AS last FROM journal')) as [
      { last: string },
    ];
    const end = (Math.floor(Number(journal.last) / SEQUENCES_PER_PARTITION) + 1) * SEQUENCES_PER_PARTITION;
    await runner.query(`
      ALTER TABLE journal VALIDATE CONSTRAINT journal_has_commands;
      ALTER TABLE journal RENAME TO journal_0;
      ALTER INDEX journal_pkey RENAME TO journal_0_pkey;
      CREATE TABLE journal (LIKE journal_0 INCLUDING ALL) PARTITION BY RANGE (last_sequence);
      ALTER TABLE journal ATTACH PARTITION journal_0 FOR VALUES FROM (MINVALUE) TO (${end});

      CREATE TABLE journal_archived (
        last_sequence bigint PRIMARY KEY,
        first_sequence bigint NOT NULL,
        epoch bigint NOT NULL,
        committed_at timestamptz NOT NULL
      );
      CREATE VIEW journal_commits AS
        SELECT last_sequence, first_sequence, epoch, committed_at FROM journal_archived
        UNION ALL SELECT last_sequence, first_sequence, epoch, committed_at FROM journal;

      ALTER TABLE journal_cursors ADD reads_journal boolean NOT NULL DEFAULT false;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE journal_cursors DROP reads_journal;
      DROP VIEW journal_commits;
      DROP TABLE journal_archived;
      CREATE TABLE journal_whole (LIKE journal INCLUDING ALL);
      INSERT INTO journal_whole SELECT * FROM journal;
      DROP TABLE journal;
      ALTER TABLE journal_whole RENAME TO journal;
      ALTER INDEX journal_whole_pkey RENAME TO journal_pkey;
    `);
  }
}
