import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A secret that all processes of one exchange have and nobody else: whoever can read it here could write to the
 * journal, too. Each `gen_random_uuid` has 122 random bits.
 */
export class CreateExchangeSecret1780000002000 implements MigrationInterface {
  name = 'CreateExchangeSecret1780000002000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE exchange_secret (
        is_only_row boolean PRIMARY KEY DEFAULT true CHECK (is_only_row),
        secret bytea NOT NULL CHECK (length(secret) = 32)
      );
      INSERT INTO exchange_secret (secret) VALUES (
        sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE exchange_secret');
  }
}
