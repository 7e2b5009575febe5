import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Switches that cancel the orders of an account when nobody is there any more. A timer says when it is due; a
 * connection says which process holds it, and is due once it is lost or the process no longer leads.
 */
export class CreateCancelSwitches1780000001370 implements MigrationInterface {
  name = 'CreateCancelSwitches1780000001370';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE cancel_switches (
        account_id bigint NOT NULL,
        source text NOT NULL,
        arming_id uuid NOT NULL,
        triggers_at timestamptz(3),
        holder text,
        PRIMARY KEY (account_id, source),
        CONSTRAINT cancel_switches_due_or_held CHECK ((triggers_at IS NULL) <> (holder IS NULL))
      );
      CREATE INDEX cancel_switches_triggers ON cancel_switches (triggers_at) WHERE triggers_at IS NOT NULL;
      CREATE INDEX cancel_switches_held ON cancel_switches (source) WHERE holder IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE cancel_switches;');
  }
}
