import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Limits and exclusions that people set themselves. */
export class LimitsBaseline1780000000500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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

      -- Of registration roots: of all users who made one another.
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
      DROP TABLE self_exclusions, self_limits;
    `);
  }
}
