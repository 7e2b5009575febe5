import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The consumers of plugins, how far each is among the events that it listens to, and these events. */
export class DurableConsumers1780000030000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE plugin_consumers (
        name text PRIMARY KEY,
        types text[] NOT NULL,
        place bigint NOT NULL,
        since timestamptz(3) NOT NULL DEFAULT now(),
        seen_at timestamptz(3) NOT NULL DEFAULT now(),
        attempts integer NOT NULL DEFAULT 0,
        failing_since timestamptz(3),
        failure text
      );

      -- An event gets its place once it is committed. So none appears behind a place that was read already.
      CREATE TABLE listened_events (
        event_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        place bigint,
        type text NOT NULL,
        payload text NOT NULL,
        account_owner text,
        key text,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE UNIQUE INDEX listened_events_key ON listened_events (key) WHERE key IS NOT NULL;
      CREATE INDEX listened_events_unplaced ON listened_events (event_id) WHERE place IS NULL;
      CREATE UNIQUE INDEX listened_events_place ON listened_events (place) WHERE place IS NOT NULL;

      -- When each schedule of a plugin is due next.
      CREATE TABLE plugin_schedules (
        name text PRIMARY KEY,
        cron text NOT NULL,
        next_at timestamptz(3) NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE plugin_schedules, listened_events, plugin_consumers');
  }
}
