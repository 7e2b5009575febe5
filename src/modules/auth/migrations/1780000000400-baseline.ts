import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whatever proves who calls. It is stored as a digest, or sealed where it is needed again; a revoked credential
 * is a deleted row.
 */
export class AuthBaseline1780000000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SEQUENCE credential_number_seq MAXVALUE 9007199254740991;

      CREATE TABLE oauth_clients (
        client_id text PRIMARY KEY,
        name text NOT NULL,
        secret_hash text,
        grant_types text[] NOT NULL,
        redirect_uris text[] NOT NULL,
        scopes text[] NOT NULL,
        owner_user_id bigint REFERENCES users (user_id),
        account_owner text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        prefix text,
        last_used_at timestamptz
      );
      CREATE INDEX oauth_clients_owner ON oauth_clients (owner_user_id) WHERE owner_user_id IS NOT NULL;

      -- A key has one of three halves here, and its former one for a while after a rotation.
      CREATE TABLE api_keys (
        api_key_id text PRIMARY KEY,
        key_hash text UNIQUE,
        prefix text NOT NULL,
        name text NOT NULL,
        scopes text[] NOT NULL,
        owner_user_id bigint REFERENCES users (user_id),
        account_owner text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz,
        last_used_at timestamptz,
        allowed_addresses text[],
        markets text[],
        public_key bytea,
        previous_key_hash text,
        previous_public_key bytea,
        previous_expires_at timestamptz,
        previous_last_used_at timestamptz,
        account_id bigint,
        sealed_secret bytea,
        previous_sealed_secret bytea,
        CONSTRAINT api_keys_half CHECK (num_nonnulls(key_hash, public_key, sealed_secret) = 1)
      );
      CREATE INDEX api_keys_owner ON api_keys (owner_user_id) WHERE owner_user_id IS NOT NULL;
      CREATE UNIQUE INDEX api_keys_previous_key_hash ON api_keys (previous_key_hash)
        WHERE previous_key_hash IS NOT NULL;

      -- Each transaction that changes what a key is good for leaves its number, by whatever code or hand it is
      -- made: who remembers keys asks one question about all of them.
      CREATE TABLE key_changes (
        made_by bigint NOT NULL PRIMARY KEY,
        made_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE FUNCTION note_key_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO key_changes (made_by) VALUES (pg_current_xact_id()::text::bigint) ON CONFLICT DO NOTHING;
        RETURN NULL;
      END $$;
      CREATE TRIGGER api_keys_changed
        AFTER DELETE OR UPDATE OF api_key_id, key_hash, public_key, sealed_secret, previous_key_hash,
          previous_public_key, previous_sealed_secret, previous_expires_at, prefix, name, scopes, owner_user_id,
          account_owner, account_id, allowed_addresses, markets, expires_at, created_at
        ON api_keys FOR EACH STATEMENT EXECUTE FUNCTION note_key_change();
      CREATE TRIGGER users_standing_changed
        AFTER DELETE OR UPDATE OF user_id, user_status, creation_root_id
        ON users FOR EACH STATEMENT EXECUTE FUNCTION note_key_change();

      -- A log-in. What follows from it goes with its row.
      CREATE TABLE sessions (
        session_id text PRIMARY KEY,
        user_id bigint NOT NULL REFERENCES users (user_id),
        device text NOT NULL,
        address text NOT NULL,
        started_at timestamptz NOT NULL,
        last_used_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        proved_at timestamptz,
        proved_by text,
        CONSTRAINT sessions_proof CHECK ((proved_at IS NULL) = (proved_by IS NULL))
      );
      CREATE INDEX sessions_user ON sessions (user_id, session_id);
      CREATE INDEX sessions_expiry ON sessions (expires_at);

      -- What one authorization code stands for. What came from it goes with its row.
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
        expires_at timestamptz NOT NULL,
        session_id text REFERENCES sessions (session_id) ON DELETE CASCADE
      );
      CREATE INDEX oauth_grants_client ON oauth_grants (client_id);
      CREATE INDEX oauth_grants_user ON oauth_grants (user_id);
      CREATE INDEX oauth_grants_expiry ON oauth_grants (expires_at);
      CREATE INDEX oauth_grants_session ON oauth_grants (session_id) WHERE session_id IS NOT NULL;

      CREATE TABLE oauth_tokens (
        token_hash text PRIMARY KEY,
        client_id text REFERENCES oauth_clients (client_id) ON DELETE CASCADE,
        scopes text[] NOT NULL,
        issued_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        user_id bigint REFERENCES users (user_id),
        grant_id text REFERENCES oauth_grants (grant_id) ON DELETE CASCADE,
        login_method text CHECK (login_method IN ('basic', 'query', 'passkey')),
        session_id text REFERENCES sessions (session_id) ON DELETE CASCADE,
        CONSTRAINT oauth_tokens_holder CHECK (client_id IS NOT NULL OR user_id IS NOT NULL)
      );
      CREATE INDEX oauth_tokens_client ON oauth_tokens (client_id);
      CREATE INDEX oauth_tokens_expiry ON oauth_tokens (expires_at);
      CREATE INDEX oauth_tokens_user ON oauth_tokens (user_id) WHERE user_id IS NOT NULL;
      CREATE INDEX oauth_tokens_grant ON oauth_tokens (grant_id) WHERE grant_id IS NOT NULL;
      CREATE INDEX oauth_tokens_session ON oauth_tokens (session_id) WHERE session_id IS NOT NULL;

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
        expires_at timestamptz NOT NULL,
        session_id text REFERENCES sessions (session_id) ON DELETE CASCADE,
        is_pending boolean NOT NULL DEFAULT false
      );
      CREATE INDEX login_sessions_user ON login_sessions (user_id);
      CREATE INDEX login_sessions_expiry ON login_sessions (expires_at);
      CREATE INDEX login_sessions_session ON login_sessions (session_id) WHERE session_id IS NOT NULL;

      CREATE TABLE totp_factors (
        user_id bigint PRIMARY KEY REFERENCES users (user_id),
        sealed_secret bytea NOT NULL,
        last_time_step bigint,
        enrolled_at timestamptz
      );

      CREATE TABLE recovery_codes (
        code_hash text PRIMARY KEY,
        user_id bigint NOT NULL REFERENCES users (user_id)
      );
      CREATE INDEX recovery_codes_user ON recovery_codes (user_id);

      CREATE TABLE passkeys (
        passkey_id text PRIMARY KEY,
        user_id bigint NOT NULL REFERENCES users (user_id),
        credential_id bytea NOT NULL UNIQUE,
        public_key bytea NOT NULL,
        sign_count bigint NOT NULL,
        transports text[] NOT NULL,
        aaguid text NOT NULL,
        is_backed_up boolean NOT NULL,
        name text NOT NULL,
        created_at timestamptz NOT NULL,
        last_used_at timestamptz
      );
      CREATE INDEX passkeys_user ON passkeys (user_id, passkey_id);

      CREATE TABLE passkey_challenges (
        challenge_hash text PRIMARY KEY,
        purpose text NOT NULL CHECK (purpose IN ('register', 'log_in', 'step_up')),
        user_id bigint REFERENCES users (user_id),
        asked_by text,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX passkey_challenges_expiry ON passkey_challenges (expires_at);

      -- For event streams of browsers, which can send no headers. A ticket outlives a rotation of its API key.
      CREATE TABLE stream_tickets (
        ticket_hash text PRIMARY KEY,
        token_hash text REFERENCES oauth_tokens (token_hash) ON DELETE CASCADE,
        key_hash text,
        expires_at timestamptz NOT NULL,
        signing_key text,
        CONSTRAINT stream_tickets_credential CHECK (num_nonnulls(token_hash, key_hash, signing_key) = 1)
      );
      CREATE INDEX stream_tickets_token ON stream_tickets (token_hash) WHERE token_hash IS NOT NULL;
      CREATE INDEX stream_tickets_expiry ON stream_tickets (expires_at);

      -- \`used_for\`: what signed text was first used for, in dialects whose signatures do not say it.
      CREATE TABLE signature_nonces (
        api_key_id text NOT NULL,
        nonce text NOT NULL,
        expires_at timestamptz NOT NULL,
        used_for text,
        PRIMARY KEY (api_key_id, nonce)
      );
      CREATE INDEX signature_nonces_expiry ON signature_nonces (expires_at);

      CREATE TABLE known_devices (
        user_id bigint NOT NULL REFERENCES users (user_id),
        device_hash text NOT NULL,
        last_seen_at timestamptz NOT NULL,
        PRIMARY KEY (user_id, device_hash)
      );
      CREATE INDEX known_devices_last_seen ON known_devices (last_seen_at);

      -- Void once the address was changed, even if it is back: it was then verified at another time.
      CREATE TABLE mail_tokens (
        user_id bigint NOT NULL REFERENCES users (user_id),
        purpose text NOT NULL CHECK (purpose IN ('verify', 'reset')),
        token_hash text NOT NULL,
        email text NOT NULL,
        expires_at timestamptz NOT NULL,
        email_verified_at timestamptz,
        PRIMARY KEY (user_id, purpose)
      );
      CREATE UNIQUE INDEX mail_tokens_token ON mail_tokens (token_hash);
      CREATE INDEX mail_tokens_expiry ON mail_tokens (expires_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER users_standing_changed ON users;
      DROP TABLE mail_tokens, known_devices, signature_nonces, stream_tickets,
        passkey_challenges, passkeys, recovery_codes, totp_factors, login_sessions, refresh_tokens,
        oauth_tokens, oauth_grants, sessions, key_changes, api_keys, oauth_clients;
      DROP FUNCTION note_key_change;
      DROP SEQUENCE credential_number_seq;
    `);
  }
}
