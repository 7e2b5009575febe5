import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far webhooks were told of each room that they ask for. The logs of rooms have no gaps, so a place in one is enough. */
export class CreateChatAnnouncedRooms1780000001460 implements MigrationInterface {
  name = 'CreateChatAnnouncedRooms1780000001460';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE chat_announced_rooms (
        room_id bigint PRIMARY KEY REFERENCES chat_rooms ON DELETE CASCADE,
        sequence bigint NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE chat_announced_rooms');
  }
}
