import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Users and their credentials as resources: who created a user, what is left of one that was closed, and
 * of clients and API keys how to recognise them, when they were last used and when they end.
 */
export class CompleteIdentity1780000000400 implements MigrationInterface {
  name = 'CompleteIdentity1780000000400';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE users
        ADD COLUMN created_by text,
        ADD CONSTRAINT users_closed CHECK (user_status <> 2 OR (
          first_name IS NULL AND last_name IS NULL AND email IS NULL AND phone IS NULL
          AND password_hash IS NULL AND NOT is_operator));
      CREATE INDEX users_creator ON users (created_by, created_at) WHERE created_by IS NOT NULL;
      CREATE INDEX users_operators ON users (user_id) WHERE is_operator;

      CREATE SEQUENCE credential_number_seq MAXVALUE 9007199254740991;
      ALTER TABLE oauth_clients
        ADD COLUMN prefix text,
        ADD COLUMN last_used_at timestamptz;
      ALTER TABLE api_keys
        ADD COLUMN expires_at timestamptz,
        ADD COLUMN last_used_at timestamptz;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys DROP COLUMN last_used_at, DROP COLUMN expires_at;
      ALTER TABLE oauth_clients DROP COLUMN last_used_at, DROP COLUMN prefix;
      DROP SEQUENCE credential_number_seq;
      DROP INDEX users_operators, users_creator;
      ALTER TABLE users DROP CONSTRAINT users_closed, DROP COLUMN created_by;
    `);
  }
}
