import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Users get access tokens too: by logging in (a session, which has no client) and by granting a client
 * access. A grant is what one authorization code stands for; whatever came from it goes with its row.
 */
export class CreateGrants1780000000300 implements MigrationInterface {
  name = 'CreateGrants1780000000300';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE oauth_grants (
        grant_id text PRIMARY KEY,
        client_id text NOT NULL REFERENCES oauth_clients (client_id) ON DELETE CASCADE,
        user_id bigint NOT NULL REFERENCES users (user_id),
        scopes text[] NOT NULL,
        code_hash text NOT NULL UNIQUE,
        code_challenge text NOT NULL,
        redirect_uri text NOT NULL,
        granted_at timestamptz NOT NULL,
        code_expires_at timestamptz NOT NULL,
        code_redeemed_at timestamptz,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX oauth_grants_client ON oauth_grants (client_id);
      CREATE INDEX oauth_grants_user ON oauth_grants (user_id);
      CREATE INDEX oauth_grants_expiry ON oauth_grants (expires_at);

      CREATE TABLE refresh_tokens (
        token_hash text PRIMARY KEY,
        grant_id text NOT NULL REFERENCES oauth_grants (grant_id) ON DELETE CASCADE,
        expires_at timestamptz NOT NULL,
        rotated_at timestamptz
      );
      CREATE INDEX refresh_tokens_grant ON refresh_tokens (grant_id);
      CREATE INDEX refresh_tokens_expiry ON refresh_tokens (expires_at);

      CREATE TABLE login_sessions (
        session_hash text PRIMARY KEY,
        user_id bigint NOT NULL REFERENCES users (user_id),
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX login_sessions_user ON login_sessions (user_id);
      CREATE INDEX login_sessions_expiry ON login_sessions (expires_at);

      ALTER TABLE oauth_tokens
        ALTER COLUMN client_id DROP NOT NULL,
        ADD COLUMN user_id bigint REFERENCES users (user_id),
        ADD COLUMN grant_id text REFERENCES oauth_grants (grant_id) ON DELETE CASCADE,
        ADD CONSTRAINT oauth_tokens_holder CHECK (client_id IS NOT NULL OR user_id IS NOT NULL);
      CREATE INDEX oauth_tokens_user ON oauth_tokens (user_id) WHERE user_id IS NOT NULL;
      CREATE INDEX oauth_tokens_grant ON oauth_tokens (grant_id) WHERE grant_id IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM oauth_tokens WHERE user_id IS NOT NULL;
      ALTER TABLE oauth_tokens
        DROP CONSTRAINT oauth_tokens_holder,
        DROP COLUMN grant_id,
        DROP COLUMN user_id,
        ALTER COLUMN client_id SET NOT NULL;
      DROP TABLE login_sessions, refresh_tokens, oauth_grants;
    `);
  }
}
