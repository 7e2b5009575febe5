import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Addresses that users have proven to be theirs, and the tokens that mails carry. The trigger makes an address unverified
 * by whatever code changes it, that of an older version too.
 */
export class VerifyAddresses1780000002300 implements MigrationInterface {
  name = 'VerifyAddresses1780000002300';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE users ADD COLUMN email_verified_at timestamptz;
      CREATE INDEX users_verified_email ON users (lower(email)) WHERE email_verified_at IS NOT NULL;

      CREATE FUNCTION forget_email_verification() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.email_verified_at := NULL;
        RETURN NEW;
      END $$;
      CREATE TRIGGER users_email_changed BEFORE UPDATE OF email ON users FOR EACH ROW
        WHEN (OLD.email IS DISTINCT FROM NEW.email) EXECUTE FUNCTION forget_email_verification();

      CREATE TABLE mail_tokens (
        user_id bigint NOT NULL CONSTRAINT mail_tokens_user_id_fkey REFERENCES users (user_id),
        purpose text NOT NULL CONSTRAINT mail_tokens_purpose_check CHECK (purpose IN ('verify', 'reset')),
        token_hash text NOT NULL,
        email text NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT mail_tokens_pkey PRIMARY KEY (user_id, purpose)
      );
      CREATE UNIQUE INDEX mail_tokens_token ON mail_tokens (token_hash);
      CREATE INDEX mail_tokens_expiry ON mail_tokens (expires_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE mail_tokens;
      DROP TRIGGER users_email_changed ON users;
      DROP FUNCTION forget_email_verification();
      ALTER TABLE users DROP COLUMN email_verified_at;
    `);
  }
}
