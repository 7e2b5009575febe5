import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users of outside identity providers, such as those of OpenID Connect, and what came of their log-ins. */
export class Identities1780000070100 implements MigrationInterface {
  name = 'Identities1780000070100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE user_identities (
        issuer text NOT NULL,
        subject text NOT NULL,
        provider text NOT NULL,
        user_id bigint NOT NULL REFERENCES users (user_id),
        groups text[] NOT NULL DEFAULT '{}',
        bound_at timestamptz NOT NULL,
        PRIMARY KEY (issuer, subject)
      );
      CREATE UNIQUE INDEX user_identities_user ON user_identities (user_id);

      -- Log-ins for which a browser is at a provider.
      CREATE TABLE identity_log_ins (
        state_hash text PRIMARY KEY,
        browser_hash text NOT NULL,
        provider text NOT NULL,
        query text NOT NULL,
        is_fresh boolean NOT NULL,
        linked_user_id bigint REFERENCES users (user_id),
        began_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX identity_log_ins_expiry ON identity_log_ins (expires_at);

      CREATE TABLE identity_sessions (
        identity_session_id text PRIMARY KEY,
        provider text NOT NULL,
        issuer text NOT NULL,
        subject text NOT NULL,
        user_id bigint NOT NULL REFERENCES users (user_id),
        browser_hash text,
        session_id text REFERENCES sessions (session_id) ON DELETE CASCADE,
        provider_session_id text,
        has_second_factor boolean NOT NULL,
        sealed_renewal bytea,
        verified_at timestamptz NOT NULL,
        renewing_until timestamptz,
        expires_at timestamptz NOT NULL
      );
      CREATE UNIQUE INDEX identity_sessions_session ON identity_sessions (session_id) WHERE session_id IS NOT NULL;
      CREATE INDEX identity_sessions_browser ON identity_sessions (browser_hash) WHERE browser_hash IS NOT NULL;
      CREATE INDEX identity_sessions_identity ON identity_sessions (issuer, subject);
      CREATE INDEX identity_sessions_provider ON identity_sessions (issuer, provider_session_id)
        WHERE provider_session_id IS NOT NULL;
      CREATE INDEX identity_sessions_expiry ON identity_sessions (expires_at);

      CREATE TABLE identity_keys (
        key_name text PRIMARY KEY,
        sealed_key bytea NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE identity_keys, identity_sessions, identity_log_ins, user_identities');
  }
}
