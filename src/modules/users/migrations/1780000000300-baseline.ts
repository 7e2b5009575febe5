import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users, what operators did to their passwords, and the exports that they ask for. */
export class UsersBaseline1780000000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- \`creation_root_id\` is the first of the users who made one another: a chain of users shares one budget.
      CREATE TABLE users (
        user_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        username text NOT NULL CHECK (username ~ '^[A-Za-z0-9._-]{1,64}$'),
        first_name text,
        last_name text,
        email text,
        phone text,
        password_hash text,
        user_status smallint NOT NULL DEFAULT 0 CHECK (user_status IN (0, 1, 2)),
        is_operator boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL DEFAULT now(),
        created_by text,
        creation_root_id bigint REFERENCES users (user_id),
        email_verified_at timestamptz,
        closed_at timestamptz(3),
        erased_at timestamptz(3),
        kept_data_erased_at timestamptz(3),
        CONSTRAINT users_closed
          CHECK (user_status <> 2 OR (
            first_name IS NULL AND last_name IS NULL AND email IS NULL AND phone IS NULL
            AND password_hash IS NULL AND NOT is_operator))
      );
      CREATE UNIQUE INDEX users_username ON users (lower(username));
      CREATE INDEX users_creator ON users (created_by, created_at) WHERE created_by IS NOT NULL;
      CREATE INDEX users_operators ON users (user_id) WHERE is_operator;
      CREATE INDEX users_creation_root ON users (creation_root_id, created_at) WHERE creation_root_id IS NOT NULL;
      CREATE INDEX users_search_username ON users ((left(lower(username), 48) COLLATE "C"), user_id);
      CREATE INDEX users_search_email ON users ((left(lower(email), 48) COLLATE "C"), user_id)
        WHERE email IS NOT NULL;
      CREATE INDEX users_search_first_name ON users ((left(lower(first_name), 48) COLLATE "C"), user_id)
        WHERE first_name IS NOT NULL;
      CREATE INDEX users_search_last_name ON users ((left(lower(last_name), 48) COLLATE "C"), user_id)
        WHERE last_name IS NOT NULL;
      CREATE INDEX users_not_active ON users (user_status, user_id) WHERE user_status <> 0;
      CREATE INDEX users_verified_email ON users (lower(email)) WHERE email_verified_at IS NOT NULL;
      CREATE INDEX users_unerased ON users (user_id) WHERE user_status = 2 AND erased_at IS NULL;
      CREATE INDEX users_kept_data ON users (closed_at)
        WHERE user_status = 2 AND erased_at IS NOT NULL AND kept_data_erased_at IS NULL;

      -- An address becomes unverified by whatever code changes it.
      CREATE FUNCTION forget_email_verification() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.email_verified_at := NULL;
        RETURN NEW;
      END $$;
      CREATE TRIGGER users_email_changed BEFORE UPDATE OF email ON users FOR EACH ROW
        WHEN (OLD.email IS DISTINCT FROM NEW.email) EXECUTE FUNCTION forget_email_verification();

      CREATE TABLE password_resets (
        reset_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        user_id bigint NOT NULL REFERENCES users,
        reset_by text NOT NULL,
        reset_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX password_resets_user ON password_resets (user_id, reset_at);
      CREATE INDEX password_resets_age ON password_resets (reset_at);

      CREATE TABLE user_exports (
        export_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        user_id bigint NOT NULL REFERENCES users,
        status text NOT NULL DEFAULT 'pending'
          CHECK (status IN ('pending', 'running', 'ready', 'failed', 'expired')),
        sections_done integer NOT NULL DEFAULT 0,
        sections_total integer NOT NULL,
        rows_done bigint NOT NULL DEFAULT 0,
        file_name text,
        sealed_key bytea,
        size_bytes bigint,
        sha256 text,
        link_number integer NOT NULL DEFAULT 1,
        ticket_hash text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        ready_at timestamptz(3),
        expires_at timestamptz(3)
      );
      CREATE INDEX user_exports_user ON user_exports (user_id, export_id);
      CREATE UNIQUE INDEX user_exports_running ON user_exports (user_id) WHERE status IN ('pending', 'running');
      CREATE INDEX user_exports_expiry ON user_exports (expires_at) WHERE status = 'ready';
      CREATE INDEX user_exports_created ON user_exports (created_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE user_exports, password_resets, users;
      DROP FUNCTION forget_email_verification;
    `);
  }
}
