import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Limits and exclusions that people set themselves, and what the core keeps of them in its accounts. */
export class LimitOneself1780000002420 implements MigrationInterface {
  name = 'LimitOneself1780000002420';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE accounts
        ADD COLUMN limits_sequence bigint,
        ADD COLUMN limits_base bigint,
        ADD COLUMN limits_taken numeric(38,0);

      CREATE TABLE self_limits (
        limit_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        account_id bigint NOT NULL,
        kind text NOT NULL,
        asset text NOT NULL,
        period text NOT NULL,
        amount numeric(38,0) NOT NULL,
        pending_amount numeric(38,0),
        effective_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE UNIQUE INDEX self_limits_terms ON self_limits (account_id, kind, asset, period);

      CREATE TABLE self_exclusions (
        person text PRIMARY KEY,
        since timestamptz NOT NULL DEFAULT now(),
        until timestamptz NOT NULL,
        orders_due boolean NOT NULL DEFAULT true
      );
      CREATE INDEX self_exclusions_due ON self_exclusions (person) WHERE orders_due;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE self_exclusions;
      DROP TABLE self_limits;
      ALTER TABLE accounts DROP COLUMN limits_sequence, DROP COLUMN limits_base, DROP COLUMN limits_taken;
    `);
  }
}
