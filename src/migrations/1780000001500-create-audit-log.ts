import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The audit log and the seals that chain its rows. Rows come from many transactions at once, and none may wait
 * for another; so they are inserted without an order, and sealed afterwards by one process at a time, which
 * gives each its place and its hash. `audit_unsealed` is that process's list of what is left to do.
 *
 * Both tables only grow: triggers refuse UPDATE, DELETE and TRUNCATE to every role, that of the service
 * included, in every replication role. Whoever owns the tables, or a superuser, could still switch a trigger
 * off or drop a table, and could write a whole new chain. What they change in a chain that stays shows in
 * `npm run audit:verify`, and a new one shows to who has kept a seal elsewhere (`--expect`).
 */
export class CreateAuditLog1780000001500 implements MigrationInterface {
  name = 'CreateAuditLog1780000001500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE audit_log (
        audit_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        actor_person text,
        actor_credential text,
        actor_address text,
        action text NOT NULL,
        target_type text NOT NULL,
        target_id text NOT NULL,
        request_id text,
        outcome text NOT NULL,
        details jsonb NOT NULL
      );
      CREATE INDEX audit_log_at ON audit_log (at, audit_id);
      CREATE INDEX audit_log_actor ON audit_log (actor_person, at, audit_id);
      CREATE INDEX audit_log_action ON audit_log (action, at, audit_id);
      CREATE INDEX audit_log_target ON audit_log (target_type, target_id, at, audit_id);

      CREATE TABLE audit_seals (
        position bigint PRIMARY KEY,
        audit_id bigint NOT NULL,
        previous_hash text NOT NULL,
        hash text NOT NULL
      );
      CREATE UNIQUE INDEX audit_seals_row ON audit_seals (audit_id);

      CREATE TABLE audit_unsealed (
        audit_id bigint PRIMARY KEY
      );

      CREATE FUNCTION audit_list_unsealed() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO audit_unsealed VALUES (NEW.audit_id);
        RETURN NULL;
      END $$;
      CREATE TRIGGER audit_log_unsealed AFTER INSERT ON audit_log
        FOR EACH ROW EXECUTE FUNCTION audit_list_unsealed();
      ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_unsealed;

      CREATE FUNCTION audit_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
      END $$;
      CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
        FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();
      CREATE TRIGGER audit_seals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_seals
        FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();
      ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_append_only;
      ALTER TABLE audit_seals ENABLE ALWAYS TRIGGER audit_seals_append_only;
      REVOKE UPDATE, DELETE, TRUNCATE ON audit_log, audit_seals FROM PUBLIC, CURRENT_USER;

      -- Who sent the commands of a row; null where nobody did, and in rows of before.
      ALTER TABLE journal ADD COLUMN actors text;
      ALTER TABLE journal ALTER COLUMN actors SET STORAGE EXTERNAL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE journal DROP COLUMN actors;
      DROP TABLE audit_unsealed, audit_seals, audit_log;
      DROP FUNCTION audit_list_unsealed, audit_refuse_change;
    `);
  }
}
