import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Keys that are bound to markets, keys of which the service has only the public half, and the former half of a key that
 * was rotated. A ticket keeps the digest of the API key that made it, also after a rotation: so nothing refers to
 * `api_keys.key_hash` any more.
 */
export class RotateAndSign1780000002330 implements MigrationInterface {
  name = 'RotateAndSign1780000002330';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys
        ALTER COLUMN key_hash DROP NOT NULL,
        ADD COLUMN markets text[],
        ADD COLUMN public_key bytea,
        ADD COLUMN previous_key_hash text,
        ADD COLUMN previous_public_key bytea,
        ADD COLUMN previous_expires_at timestamptz,
        ADD COLUMN previous_last_used_at timestamptz,
        ADD CONSTRAINT api_keys_half CHECK (num_nonnulls(key_hash, public_key) = 1);
      CREATE UNIQUE INDEX api_keys_previous_key_hash ON api_keys (previous_key_hash)
        WHERE previous_key_hash IS NOT NULL;
      ALTER TABLE stream_tickets
        DROP CONSTRAINT stream_tickets_key_hash_fkey,
        ADD COLUMN signing_key text,
        DROP CONSTRAINT stream_tickets_credential,
        ADD CONSTRAINT stream_tickets_credential CHECK (num_nonnulls(token_hash, key_hash, signing_key) = 1);
      DROP INDEX stream_tickets_key;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM stream_tickets ticket
       WHERE token_hash IS NULL AND NOT EXISTS (SELECT FROM api_keys key WHERE key.key_hash = ticket.key_hash);
      DELETE FROM api_keys WHERE key_hash IS NULL;
      CREATE INDEX stream_tickets_key ON stream_tickets (key_hash) WHERE key_hash IS NOT NULL;
      ALTER TABLE stream_tickets
        DROP CONSTRAINT stream_tickets_credential,
        DROP COLUMN signing_key,
        ADD CONSTRAINT stream_tickets_credential CHECK (num_nonnulls(token_hash, key_hash) = 1),
        ADD CONSTRAINT stream_tickets_key_hash_fkey FOREIGN KEY (key_hash) REFERENCES api_keys (key_hash) ON DELETE CASCADE;
      DROP INDEX api_keys_previous_key_hash;
      ALTER TABLE api_keys
        DROP CONSTRAINT api_keys_half,
        DROP COLUMN previous_last_used_at,
        DROP COLUMN previous_expires_at,
        DROP COLUMN previous_public_key,
        DROP COLUMN previous_key_hash,
        DROP COLUMN public_key,
        DROP COLUMN markets,
        ALTER COLUMN key_hash SET NOT NULL;
    `);
  }
}
