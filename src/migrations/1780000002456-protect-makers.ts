import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How makers are protected, and when those of their quotes were filled that count. Written by the core only. */
export class ProtectMakers1780000002456 implements MigrationInterface {
  name = 'ProtectMakers1780000002456';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE maker_protections (
        account_id bigint PRIMARY KEY,
        fills bigint,
        window_ms bigint,
        fill_times text NOT NULL,
        tripped_at timestamptz
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE maker_protections');
  }
}
