import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Passkeys of users (WebAuthn), and the challenges that browsers have to sign. */
export class AddPasskeys1780000002440 implements MigrationInterface {
  name = 'AddPasskeys1780000002440';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE passkeys (
        passkey_id text CONSTRAINT passkeys_pkey PRIMARY KEY,
        user_id bigint NOT NULL CONSTRAINT passkeys_user_id_fkey REFERENCES users (user_id),
        credential_id bytea NOT NULL CONSTRAINT passkeys_credential_id_key UNIQUE,
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
        challenge_hash text CONSTRAINT passkey_challenges_pkey PRIMARY KEY,
        purpose text NOT NULL
          CONSTRAINT passkey_challenges_purpose_check CHECK (purpose IN ('register', 'log_in', 'step_up')),
        user_id bigint CONSTRAINT passkey_challenges_user_id_fkey REFERENCES users (user_id),
        asked_by text,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX passkey_challenges_expiry ON passkey_challenges (expires_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE passkey_challenges;
      DROP TABLE passkeys;
    `);
  }
}
