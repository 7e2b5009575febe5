import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A log-in becomes something of its own, which its user can see and end: where it came from, when it was last used, and
 * whatever follows from it goes with its row. Log-ins from before have none, and expire within hours.
 */
export class KeepSessions1780000002240 implements MigrationInterface {
  name = 'KeepSessions1780000002240';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE sessions (
        session_id text CONSTRAINT sessions_pkey PRIMARY KEY,
        user_id bigint NOT NULL CONSTRAINT sessions_user_id_fkey REFERENCES users (user_id),
        device text NOT NULL,
        address text NOT NULL,
        started_at timestamptz NOT NULL,
        last_used_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX sessions_user ON sessions (user_id, session_id);
      CREATE INDEX sessions_expiry ON sessions (expires_at);

      ALTER TABLE oauth_tokens ADD COLUMN session_id text
        CONSTRAINT oauth_tokens_session_id_fkey REFERENCES sessions (session_id) ON DELETE CASCADE;
      ALTER TABLE oauth_grants ADD COLUMN session_id text
        CONSTRAINT oauth_grants_session_id_fkey REFERENCES sessions (session_id) ON DELETE CASCADE;
      ALTER TABLE login_sessions ADD COLUMN session_id text
        CONSTRAINT login_sessions_session_id_fkey REFERENCES sessions (session_id) ON DELETE CASCADE;
      CREATE INDEX oauth_tokens_session ON oauth_tokens (session_id) WHERE session_id IS NOT NULL;
      CREATE INDEX oauth_grants_session ON oauth_grants (session_id) WHERE session_id IS NOT NULL;
      CREATE INDEX login_sessions_session ON login_sessions (session_id) WHERE session_id IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE login_sessions DROP COLUMN session_id;
      ALTER TABLE oauth_grants DROP COLUMN session_id;
      ALTER TABLE oauth_tokens DROP COLUMN session_id;
      DROP TABLE sessions;
    `);
  }
}
