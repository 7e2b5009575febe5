import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The Merkle tree over the journal's rows, its signed heads, and the keys that sign. */
export class ProveTheJournal1780000002520 implements MigrationInterface {
  name = 'ProveTheJournal1780000002520';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE journal_leaves (
        height bigint PRIMARY KEY,
        first_sequence bigint NOT NULL,
        last_sequence bigint NOT NULL,
        committed_at timestamptz NOT NULL,
        engine_version integer NOT NULL,
        previous_hash bytea NOT NULL,
        chain_hash bytea NOT NULL,
        state_hash bytea NOT NULL,
        statements integer NOT NULL,
        statements_root bytea NOT NULL,
        public_hash bytea,
        public_state_hash bytea NOT NULL
      );
      CREATE UNIQUE INDEX journal_leaves_sequence ON journal_leaves (last_sequence);
      CREATE INDEX journal_leaves_time ON journal_leaves (committed_at, height);

      CREATE TABLE journal_public (
        height bigint PRIMARY KEY,
        content bytea NOT NULL
      );
      -- It is packed by the service.
      ALTER TABLE journal_public ALTER COLUMN content SET STORAGE EXTERNAL;

      CREATE TABLE journal_public_state (
        name text PRIMARY KEY,
        content text NOT NULL
      );

      CREATE TABLE journal_nodes (
        level smallint NOT NULL,
        index bigint NOT NULL,
        hash bytea NOT NULL,
        PRIMARY KEY (level, index)
      );

      CREATE TABLE journal_heads (
        tree_size bigint PRIMARY KEY,
        time timestamptz NOT NULL,
        is_first_of_hour boolean NOT NULL,
        head jsonb NOT NULL
      );
      CREATE INDEX journal_heads_time ON journal_heads (time);

      CREATE TABLE journal_keys (
        key_number integer PRIMARY KEY,
        key_id text NOT NULL UNIQUE,
        public_key bytea NOT NULL,
        sealed_key bytea NOT NULL,
        activated_at timestamptz NOT NULL,
        previous_key_id text UNIQUE,
        handover_signature bytea,
        own_signature bytea NOT NULL
      );

      CREATE TABLE journal_secrets (
        name text PRIMARY KEY,
        sealed_secret bytea NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE journal_secrets;
      DROP TABLE journal_keys;
      DROP TABLE journal_heads;
      DROP TABLE journal_nodes;
      DROP TABLE journal_public_state;
      DROP TABLE journal_public;
      DROP TABLE journal_leaves;
      DELETE FROM journal_cursors WHERE name = 'journal_tree';
    `);
  }
}
