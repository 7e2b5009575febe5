import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What plugins keep with messages: in their rows, since events tell it with them, and a deletion takes it with the text. */
export class MessageFields1780000050200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE chat_messages ADD COLUMN fields jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE chat_messages DROP COLUMN fields');
  }
}
