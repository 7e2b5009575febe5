import { Inject, Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import { CONFIG, type Config } from '../config/config.js';
import { lockUntilCommit } from '../database/advisory-locks.js';
import { PG_POOL } from '../database/pg-pool.js';
import { inTransaction } from '../database/transaction.js';
import { BackgroundLoop } from '../jobs/background-loop.js';
import { CANONICAL_COLUMNS, type CanonicalRow, AUDIT_GENESIS_HASH, sealOf } from './audit-chain.js';
import { AuditFiles, type SealedAct } from './audit-files.js';

/** The longest time that a row waits for its seal. */
const SEAL_EVERY_MS = 500;
const SEALED_AT_ONCE_MAX = 1_000;

/** "audi" in ASCII: the key of the advisory lock under which the chain grows. */
const LOCK_KEY = 0x6175_6469;

/**
 * Seals committed rows: gives each the next position in the chain, with a hash of the row and the previous seal. The
 * leader of the background work does this twice a second, and so does every reader of the log before reading; a lock
 * serializes them. Writers of rows never wait for it.
 */
@Injectable()
export class AuditSealer implements BeforeApplicationShutdown {
  readonly duty = new BackgroundLoop({ name: 'Audit', everyMs: SEAL_EVERY_MS }, () => this.seal());
  private readonly logger = new Logger(AuditSealer.name);
  private readonly files: AuditFiles;

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(CONFIG) { dataDir }: Config,
  ) {
    this.files = new AuditFiles(dataDir);
  }

  /** The last requests have ended; this seals their rows too. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.seal().catch(() => undefined);
  }

  /** Seals a bounded number of rows, oldest first. Returns whether more are left. */
  async seal(): Promise<boolean> {
    const { rows } = await this.pool.query('SELECT FROM audit_unsealed LIMIT 1');
    if (rows.length === 0) return false;
    const sealed = await inTransaction(this.pool, sealNext);
    await this.files.write(sealed).catch((error: unknown) => {
      this.logger.warn({ err: error, msg: 'acts of the audit log were not written to a file' });
    });
    return sealed.length === SEALED_AT_ONCE_MAX;
  }
}

async function sealNext(client: PoolClient): Promise<SealedAct[]> {
  await lockUntilCommit(client, LOCK_KEY);
  const { rows } = await client.query<CanonicalRow>(
    `SELECT ${CANONICAL_COLUMNS} FROM audit_unsealed JOIN audit_log entry USING (audit_id)
     ORDER BY audit_id LIMIT ${SEALED_AT_ONCE_MAX}`,
  );
  const { rows: last } = await client.query<{ position: string; hash: string }>(
    'SELECT position, hash FROM audit_seals ORDER BY position DESC LIMIT 1',
  );
  let position = Number(last[0]?.position ?? 0);
  let previousHash = last[0]?.hash ?? AUDIT_GENESIS_HASH;
  const sealed = rows.map((row): SealedAct => {
    position++;
    const previous_hash = previousHash;
    previousHash = sealOf(previous_hash, position, row);
    return { ...row, position, previous_hash, hash: previousHash };
  });
  const seals = sealed.map((act) => {
    const { position, audit_id, previous_hash, hash } = act;
    return { position, audit_id, previous_hash, hash };
  });
  await client.query(
    `WITH moved AS (
       INSERT INTO audit_seals SELECT * FROM jsonb_populate_recordset(NULL::audit_seals, $1::jsonb)
       RETURNING audit_id)
     DELETE FROM audit_unsealed WHERE audit_id IN (SELECT audit_id FROM moved)`,
    [JSON.stringify(seals)],
  );
  return sealed;
}
