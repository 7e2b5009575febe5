import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each transaction that changes what an API key is good for leaves its number, by whatever code or hand it is made. So
 * who remembers keys asks one question about all of them, and not one about each.
 */
export class WatchKeys1780000002775 implements MigrationInterface {
  name = 'WatchKeys1780000002775';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE key_changes (
        made_by bigint NOT NULL CONSTRAINT key_changes_pkey PRIMARY KEY,
        made_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE FUNCTION note_key_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO key_changes (made_by) VALUES (pg_current_xact_id()::text::bigint) ON CONFLICT DO NOTHING;
        RETURN NULL;
      END $$;
      CREATE TRIGGER api_keys_changed
        AFTER DELETE OR UPDATE OF api_key_id, key_hash, public_key, sealed_secret, previous_key_hash, previous_public_key,
          previous_sealed_secret, previous_expires_at, prefix, name, scopes, owner_user_id, account_owner, account_id,
          allowed_addresses, markets, expires_at, created_at
        ON api_keys FOR EACH STATEMENT EXECUTE FUNCTION note_key_change();
      CREATE TRIGGER users_standing_changed
        AFTER DELETE OR UPDATE OF user_id, user_status, creation_root_id
        ON users FOR EACH STATEMENT EXECUTE FUNCTION note_key_change();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER users_standing_changed ON users;
      DROP TRIGGER api_keys_changed ON api_keys;
      DROP FUNCTION note_key_change();
      DROP TABLE key_changes;
    `);
  }
}
