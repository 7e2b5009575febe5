import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tables of the kit: the vault, idempotency, approvals, the audit log, and the secret of the exchange. */
export class KitBaseline1780000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- The keys that encrypt stored secrets, themselves encrypted. A lock belongs to one passphrase and has
      -- its own copy of every master key. A data key belongs to one secret; \`key_version\` names the master key,
      -- or the key of an operator's own vault.
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

      -- Requests with an \`Idempotency-Key\` outside the core, with their answers. A body may hold secrets, so
      -- its fingerprint is sealed with the key, and of the key only a digest is here.
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

      -- Acts that take two persons.
      CREATE TABLE approvals (
        approval_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        kind text NOT NULL,
        status text NOT NULL DEFAULT 'pending'
          CHECK (status IN ('pending', 'approved', 'rejected', 'expired', 'failed')),
        subject_type text NOT NULL,
        subject_id text NOT NULL,
        owner text,
        slot text,
        summary text NOT NULL,
        payload jsonb NOT NULL,
        fingerprint text NOT NULL,
        request_hash text,
        proposed_by text NOT NULL,
        proposed_at timestamptz(3) NOT NULL DEFAULT now(),
        decided_by text,
        decided_at timestamptz(3),
        reason text,
        expires_at timestamptz(3),
        carried_out_at timestamptz(3)
      );
      CREATE INDEX approvals_status ON approvals (status, approval_id);
      CREATE INDEX approvals_kind ON approvals (kind, approval_id);
      CREATE UNIQUE INDEX approvals_slot ON approvals (slot)
        WHERE status = 'pending' OR (status = 'approved' AND carried_out_at IS NULL);
      CREATE INDEX approvals_expiry ON approvals (expires_at) WHERE status = 'pending';
      CREATE INDEX approvals_due ON approvals (approval_id) WHERE status = 'approved' AND carried_out_at IS NULL;
      CREATE UNIQUE INDEX approvals_request ON approvals (request_hash) WHERE request_hash IS NOT NULL;

      -- Rows come from many transactions, none of which may wait for another: one process at a time seals them
      -- afterwards, from the list in \`audit_unsealed\`, and gives each its place and its hash.
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

      -- Log and seals only grow: UPDATE, DELETE and TRUNCATE are refused to every role, the service's included, in
      -- every replication role. The tables' owner or a superuser could still switch a trigger off, drop a table or
      -- write a whole new chain. A change in a chain that stays shows in \`npm run audit:verify\`, a new chain to
      -- who has kept a seal elsewhere (\`--expect\`).
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

      -- All processes of one exchange have it and nobody else: who can read it could write to the journal, too.
      -- Each \`gen_random_uuid\` has 122 random bits.
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
    await runner.query(`
      DROP TABLE exchange_secret, audit_unsealed, audit_seals, audit_log, approvals, idempotency_keys,
        vault_data_keys, vault_master_keys, vault_locks;
      DROP FUNCTION audit_list_unsealed, audit_refuse_change;
    `);
  }
}
