import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Exports that users ask for of all that the service knows about them. */
export class ExportOwnData1780000002390 implements MigrationInterface {
  name = 'ExportOwnData1780000002390';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE user_exports (
        export_id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT user_exports_pkey PRIMARY KEY,
        user_id bigint NOT NULL CONSTRAINT user_exports_user_id_fkey REFERENCES users,
        status text NOT NULL DEFAULT 'pending'
          CONSTRAINT user_exports_status_check
            CHECK (status IN ('pending', 'running', 'ready', 'failed', 'expired')),
        sections_done integer NOT NULL DEFAULT 0,
        sections_total integer NOT NULL,
        rows_done bigint NOT NULL DEFAULT 0,
        file_name text,
        sealed_key bytea,
        size_bytes bigint,
        sha256 text,
        link_number integer NOT NULL DEFAULT 1,
        ticket_hash text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        ready_at timestamptz(3),
        expires_at timestamptz(3)
      )`);
    await runner.query('CREATE INDEX user_exports_user ON user_exports (user_id, export_id)');
    await runner.query(
      `CREATE UNIQUE INDEX user_exports_running ON user_exports (user_id) WHERE status IN ('pending', 'running')`,
    );
    await runner.query(
      `CREATE INDEX user_exports_expiry ON user_exports (expires_at) WHERE status = 'ready'`,
    );
    await runner.query('CREATE INDEX user_exports_created ON user_exports (created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE user_exports');
  }
}
