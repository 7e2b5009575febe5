import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The journal, which is what makes a commit durable, with its leader, its followers and what proves it. Its
 * texts are stored as they come: compressing them would cost the hot path more than the disk it saves.
 */
export class JournalBaseline1780000000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Which installation the database belongs to. Unlogged, so no base backup, standby or recovered copy has
      -- the row.
      CREATE UNLOGGED TABLE installation (
        is_only_row boolean PRIMARY KEY DEFAULT true CHECK (is_only_row),
        installation_id uuid NOT NULL
      );

      CREATE TABLE core_leader (
        id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
        epoch bigint NOT NULL,
        last_sequence bigint NOT NULL,
        state_parts text,
        lease_until timestamptz NOT NULL,
        backend_pid integer,
        holder text,
        backend_epoch bigint,
        backend_start timestamptz
      ) WITH (fillfactor = 10);
      INSERT INTO core_leader (epoch, last_sequence, lease_until) VALUES (0, 0, now());

      -- How far the tables of the core are.
      CREATE TABLE core_projection (
        id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
        sequence bigint NOT NULL,
        state_parts text,
        carried_after bigint
      ) WITH (fillfactor = 10);
      INSERT INTO core_projection (sequence) VALUES (0);

      -- In ranges of the sequence, so that what was archived is dropped by the partition. Commands are text, or
      -- packed.
      CREATE TABLE journal (
        last_sequence bigint PRIMARY KEY,
        first_sequence bigint NOT NULL,
        epoch bigint NOT NULL,
        engine_version integer NOT NULL,
        committed_at timestamptz NOT NULL,
        commands text,
        state_hash text NOT NULL,
        previous_hash text NOT NULL,
        hash text NOT NULL,
        actors text,
        effects bytea,
        packed_commands bytea,
        CONSTRAINT journal_has_commands CHECK ((commands IS NULL) <> (packed_commands IS NULL))
      ) PARTITION BY RANGE (last_sequence);
      ALTER TABLE journal
        ALTER COLUMN commands SET STORAGE EXTERNAL,
        ALTER COLUMN actors SET STORAGE EXTERNAL,
        ALTER COLUMN effects SET STORAGE EXTERNAL,
        ALTER COLUMN packed_commands SET STORAGE EXTERNAL;
      CREATE TABLE journal_0 (LIKE journal INCLUDING ALL);
      ALTER TABLE journal ATTACH PARTITION journal_0 FOR VALUES FROM (MINVALUE) TO (10000000);

      CREATE TABLE journal_archived (
        last_sequence bigint PRIMARY KEY,
        first_sequence bigint NOT NULL,
        epoch bigint NOT NULL,
        committed_at timestamptz NOT NULL
      );
      CREATE VIEW journal_commits AS
        SELECT last_sequence, first_sequence, epoch, committed_at FROM journal_archived
        UNION ALL SELECT last_sequence, first_sequence, epoch, committed_at FROM journal;

      -- In one text (\`state\`), or in pages: a state may be longer than any string.
      CREATE TABLE journal_checkpoints (
        sequence bigint NOT NULL,
        engine_version integer NOT NULL,
        state text,
        state_hash text NOT NULL,
        journal_hash text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        time_ms bigint,
        pages integer,
        pages_hash text,
        PRIMARY KEY (sequence, engine_version),
        CONSTRAINT journal_checkpoints_whole
          CHECK (state IS NOT NULL OR (time_ms IS NOT NULL AND pages IS NOT NULL AND pages_hash IS NOT NULL))
      );

      CREATE TABLE journal_checkpoint_pages (
        sequence bigint NOT NULL,
        engine_version integer NOT NULL,
        page integer NOT NULL,
        part text NOT NULL,
        rows text NOT NULL,
        PRIMARY KEY (sequence, engine_version, page),
        FOREIGN KEY (sequence, engine_version)
          REFERENCES journal_checkpoints (sequence, engine_version)
          ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
      );

      CREATE TABLE journal_cursors (
        name text PRIMARY KEY,
        sequence bigint NOT NULL,
        reads_journal boolean NOT NULL DEFAULT false
      );

      CREATE TABLE command_keys (
        owner text NOT NULL,
        key text NOT NULL,
        fingerprint text NOT NULL,
        outcomes text NOT NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz,
        PRIMARY KEY (owner, key)
      );
      CREATE INDEX command_keys_expiry ON command_keys (expires_at) WHERE expires_at IS NOT NULL;

      -- The Merkle tree over the journal's rows, its signed heads, and the keys that sign.
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

      CREATE TABLE journal_nodes (
        level smallint NOT NULL,
        index bigint NOT NULL,
        hash bytea NOT NULL,
        PRIMARY KEY (level, index)
      );

      CREATE TABLE journal_public (
        height bigint PRIMARY KEY,
        content bytea NOT NULL
      );
      ALTER TABLE journal_public ALTER COLUMN content SET STORAGE EXTERNAL;

      CREATE TABLE journal_public_state (
        name text PRIMARY KEY,
        content text NOT NULL
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
      DROP VIEW journal_commits;
      DROP TABLE journal_secrets, journal_keys, journal_heads, journal_public_state, journal_public,
        journal_nodes, journal_leaves, command_keys, journal_cursors, journal_checkpoint_pages,
        journal_checkpoints, journal_archived, journal, core_projection, core_leader, installation;
    `);
  }
}
