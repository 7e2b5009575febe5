import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Operators keep members out of rooms for a while. */
export class BanFromRooms1780000002230 implements MigrationInterface {
  name = 'BanFromRooms1780000002230';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE chat_bans (
        room_id bigint NOT NULL REFERENCES chat_rooms ON DELETE CASCADE,
        member_key text NOT NULL,
        banned_until timestamptz(3) NOT NULL,
        reason text NOT NULL,
        banned_by text NOT NULL,
        banned_at timestamptz(3) NOT NULL,
        PRIMARY KEY (room_id, member_key)
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE chat_bans');
  }
}
