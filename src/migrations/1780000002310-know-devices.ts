import type { MigrationInterface, QueryRunner } from 'typeorm';

/** From which devices users have logged in, as digests. */
export class KnowDevices1780000002310 implements MigrationInterface {
  name = 'KnowDevices1780000002310';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE known_devices (
        user_id bigint NOT NULL CONSTRAINT known_devices_user_id_fkey REFERENCES users (user_id),
        device_hash text NOT NULL,
        last_seen_at timestamptz NOT NULL,
        CONSTRAINT known_devices_pkey PRIMARY KEY (user_id, device_hash)
      );
      CREATE INDEX known_devices_last_seen ON known_devices (last_seen_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE known_devices');
  }
}
