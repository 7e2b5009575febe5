import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The requests outside the core that came with an `Idempotency-Key`, each with its answer once there is
 * one. Found by owner and key, purged by age. A body may hold secrets, so its fingerprint is sealed with the key,
 * and of the key only a digest is here.
 */
export class CreateIdempotencyKeys1780000000610 implements MigrationInterface {
  name = 'CreateIdempotencyKeys1780000000610';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE idempotency_keys (
        owner text NOT NULL,
        key_hash text NOT NULL,
        sealed_fingerprint text NOT NULL,
        claim_id uuid NOT NULL,
        state text NOT NULL CHECK (state IN ('running', 'answered', 'answer_too_large')),
        status smallint CHECK ((status IS NULL) = (state = 'running')),
        body text,
        leased_until timestamptz NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (owner, key_hash)
      );
      CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_keys');
  }
}
