import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who calls: users, OAuth clients, access tokens and API keys. Whatever proves an identity is stored
 * as a digest only. Tokens and keys are found by that digest; a revoked one is a deleted row.
 */
export class CreateIdentityTables1780000000100 implements MigrationInterface {
  name = 'CreateIdentityTables1780000000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE UNIQUE INDEX users_username ON users (lower(username));

      CREATE TABLE oauth_clients (
        client_id text PRIMARY KEY,
        name text NOT NULL,
        secret_hash text,
        grant_types text[] NOT NULL,
        redirect_uris text[] NOT NULL,
        scopes text[] NOT NULL,
        owner_user_id bigint REFERENCES users (user_id),
        account_owner text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX oauth_clients_owner ON oauth_clients (owner_user_id) WHERE owner_user_id IS NOT NULL;

      CREATE TABLE oauth_tokens (
        token_hash text PRIMARY KEY,
        client_id text NOT NULL REFERENCES oauth_clients (client_id) ON DELETE CASCADE,
        scopes text[] NOT NULL,
        issued_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX oauth_tokens_client ON oauth_tokens (client_id);
      CREATE INDEX oauth_tokens_expiry ON oauth_tokens (expires_at);

      CREATE TABLE api_keys (
        api_key_id text PRIMARY KEY,
        key_hash text NOT NULL UNIQUE,
        prefix text NOT NULL,
        name text NOT NULL,
        scopes text[] NOT NULL,
        owner_user_id bigint REFERENCES users (user_id),
        account_owner text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX api_keys_owner ON api_keys (owner_user_id) WHERE owner_user_id IS NOT NULL;

      CREATE TABLE seeds (
        name text PRIMARY KEY,
        completed_at timestamptz
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE seeds, api_keys, oauth_tokens, oauth_clients, users');
  }
}
