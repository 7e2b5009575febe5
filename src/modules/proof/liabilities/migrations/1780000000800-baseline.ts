import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Cuts of what is owed: what was asked for and how far it is, what is published, and the leaves behind it. */
export class LiabilitiesBaseline1780000000800 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE liability_runs (
        cut_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        kind text NOT NULL CHECK (kind IN ('daily', 'on_demand')),
        status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'running', 'done', 'failed')),
        cut_at timestamptz(3),
        cut_sequence bigint,
        requested_by text,
        accounts_done bigint NOT NULL DEFAULT 0,
        accounts_total bigint,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        started_at timestamptz(3),
        finished_at timestamptz(3)
      );
      CREATE UNIQUE INDEX liability_runs_open ON liability_runs (kind) WHERE status IN ('pending', 'running');
      CREATE UNIQUE INDEX liability_runs_daily ON liability_runs (cut_at) WHERE kind = 'daily';
      CREATE INDEX liability_runs_created ON liability_runs (created_at);

      CREATE TABLE liability_cuts (
        cut_id bigint PRIMARY KEY,
        as_of timestamptz(3) NOT NULL,
        sequence bigint NOT NULL,
        root_hash text NOT NULL,
        totals jsonb NOT NULL,
        assets_shown jsonb NOT NULL,
        key_id text NOT NULL,
        signature text NOT NULL
      );
      CREATE INDEX liability_cuts_as_of ON liability_cuts (as_of, cut_id);

      CREATE TABLE liability_chunks (
        cut_id bigint NOT NULL,
        chunk integer NOT NULL,
        secret bytea NOT NULL,
        first_salt bytea NOT NULL,
        hash bytea NOT NULL,
        sums text NOT NULL,
        leaves bytea NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (cut_id, chunk)
      );
      ALTER TABLE liability_chunks ALTER COLUMN leaves SET STORAGE EXTERNAL;
      CREATE INDEX liability_chunks_created ON liability_chunks (created_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE liability_chunks, liability_cuts, liability_runs;
    `);
  }
}
