import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The keys that stored secrets are encrypted with, themselves encrypted. A lock belongs to one passphrase and
 * keeps its own copy of every master key; a data key belongs to one secret and is wrapped by a master key, or by
 * whatever key a vault of the operator's own names in `key_version`.
 */
export class CreateVault1780000000800 implements MigrationInterface {
  name = 'CreateVault1780000000800';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE vault_locks (
        lock_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        salt bytea NOT NULL,
        memory_kib integer NOT NULL,
        passes integer NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE TABLE vault_master_keys (
        lock_id bigint REFERENCES vault_locks ON DELETE CASCADE,
        version integer,
        wrapped bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (lock_id, version)
      );
      CREATE TABLE vault_data_keys (
        data_key_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        context text NOT NULL,
        key_version text NOT NULL,
        wrapped bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE vault_data_keys, vault_master_keys, vault_locks');
  }
}
