import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who set whose password, and who made whom, by persons: a client or an API key stands for its owner, so that
 * making users by one is no way around.
 */
export class RecordPasswordResets1780000001521 implements MigrationInterface {
  name = 'RecordPasswordResets1780000001521';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE password_resets (
        reset_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        user_id bigint NOT NULL REFERENCES users,
        reset_by text NOT NULL,
        reset_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX password_resets_user ON password_resets (user_id, reset_at);

      UPDATE users SET created_by = client.account_owner FROM oauth_clients client
      WHERE created_by = 'client:' || client.client_id AND client.account_owner <> created_by;
      UPDATE users SET created_by = key.account_owner FROM api_keys key
      WHERE created_by = 'api_key:' || key.api_key_id;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE password_resets');
  }
}
