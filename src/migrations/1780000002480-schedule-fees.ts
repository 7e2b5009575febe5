import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Fee schedules, and what accounts traded on each of the last days, which `AccountVolumes` sums up by itself. */
export class ScheduleFees1780000002480 implements MigrationInterface {
  name = 'ScheduleFees1780000002480';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE fee_schedules (
        name text PRIMARY KEY,
        volume_asset text,
        tiers jsonb NOT NULL,
        updated_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE TABLE account_fee_schedules (
        account_id bigint PRIMARY KEY,
        name text NOT NULL
      );
      CREATE INDEX account_fee_schedules_name ON account_fee_schedules (name);

      CREATE TABLE account_volumes (
        account_id bigint NOT NULL,
        day date NOT NULL,
        asset text NOT NULL,
        volume numeric NOT NULL,
        PRIMARY KEY (account_id, day, asset)
      );
      CREATE INDEX account_volumes_day ON account_volumes (day);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM journal_cursors WHERE name = 'volumes';
      DROP TABLE account_volumes, account_fee_schedules, fee_schedules;
    `);
  }
}
