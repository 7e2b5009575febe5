import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Second factors of users: codes of an authenticator app, and recovery codes for who has lost it. Each session keeps when
 * its user last proved to be there, and by what; sessions from before have not.
 */
export class AddSecondFactors1780000002260 implements MigrationInterface {
  name = 'AddSecondFactors1780000002260';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE totp_factors (
        user_id bigint CONSTRAINT totp_factors_pkey PRIMARY KEY
          CONSTRAINT totp_factors_user_id_fkey REFERENCES users (user_id),
        sealed_secret bytea NOT NULL,
        last_time_step bigint,
        enrolled_at timestamptz
      );
      CREATE TABLE recovery_codes (
        code_hash text CONSTRAINT recovery_codes_pkey PRIMARY KEY,
        user_id bigint NOT NULL CONSTRAINT recovery_codes_user_id_fkey REFERENCES users (user_id)
      );
      CREATE INDEX recovery_codes_user ON recovery_codes (user_id);

      ALTER TABLE sessions ADD COLUMN proved_at timestamptz;
      ALTER TABLE sessions ADD COLUMN proved_by text;
      ALTER TABLE sessions ADD CONSTRAINT sessions_proof CHECK ((proved_at IS NULL) = (proved_by IS NULL));
      ALTER TABLE login_sessions ADD COLUMN is_pending boolean NOT NULL DEFAULT false;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE login_sessions DROP COLUMN is_pending;
      ALTER TABLE sessions DROP COLUMN proved_by, DROP COLUMN proved_at;
      DROP TABLE recovery_codes;
      DROP TABLE totp_factors;
    `);
  }
}
