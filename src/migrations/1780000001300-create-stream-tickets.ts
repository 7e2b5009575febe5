import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tickets let browsers follow event streams, to which they can send no headers. */
export class CreateStreamTickets1780000001300 implements MigrationInterface {
  name = 'CreateStreamTickets1780000001300';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE stream_tickets (
        ticket_hash text PRIMARY KEY,
        token_hash text REFERENCES oauth_tokens (token_hash) ON DELETE CASCADE,
        key_hash text REFERENCES api_keys (key_hash) ON DELETE CASCADE,
        expires_at timestamptz NOT NULL,
        CONSTRAINT stream_tickets_credential CHECK (num_nonnulls(token_hash, key_hash) = 1)
      );
      CREATE INDEX stream_tickets_token ON stream_tickets (token_hash) WHERE token_hash IS NOT NULL;
      CREATE INDEX stream_tickets_key ON stream_tickets (key_hash) WHERE key_hash IS NOT NULL;
      CREATE INDEX stream_tickets_expiry ON stream_tickets (expires_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE stream_tickets');
  }
}
