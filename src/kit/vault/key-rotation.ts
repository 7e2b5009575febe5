import type { Pool, PoolClient } from 'pg';
import { inTransaction } from '../database/transaction.js';
import { UnreadableSecret, type KeyVault } from './key-vault.js';

/** Small enough not to delay anyone who makes a wallet meanwhile. */
const WRAPPED_AT_ONCE_MAX = 100;
const UNREADABLE_TOLD_MAX = 20;

export interface RewrapProgress {
  readonly done: number;
  readonly total: number;
}

export interface Rewrapped {
  readonly wrapped: number;
  /** Contexts of data keys that cannot be unwrapped and stay as they are. At most twenty. */
  readonly unreadable: readonly string[];
}

interface DataKeyRow {
  readonly data_key_id: string;
  readonly context: string;
  readonly key_version: string;
  readonly wrapped: Buffer;
}

/** How many data keys are wrapped by older versions of the vault's key. */
export async function countStaleDataKeys(pool: Pool, vault: KeyVault): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(
    'SELECT count(*) FROM vault_data_keys WHERE key_version <> $1',
    [await vault.currentVersion()],
  );
  return Number(rows[0]?.count);
}

/**
 * Rewraps all data keys of older versions with the current version of the vault's key, in small transactions, while the
 * service runs. Secrets sealed with the data keys are not touched. An interrupted run leaves every data key wrapped by
 * one version or the other; both can be unwrapped, and the next run continues.
 */
export async function rewrapDataKeys(
  pool: Pool,
  vault: KeyVault,
  onProgress: (progress: RewrapProgress) => void = () => undefined,
): Promise<Rewrapped> {
  const version = await vault.currentVersion();
  const total = await countStaleDataKeys(pool, vault);
  const unreadable: string[] = [];
  let wrapped = 0;
  let failed = 0;
  let after = '0';
  for (;;) {
    const rows = await inTransaction(pool, async (client) => {
      const stale = await client.query<DataKeyRow>(
        `SELECT data_key_id, context, key_version, wrapped FROM vault_data_keys
         WHERE data_key_id > $1 AND key_version <> $2
         ORDER BY data_key_id LIMIT ${WRAPPED_AT_ONCE_MAX} FOR UPDATE`,
        [after, version],
      );
      for (const row of stale.rows) {
        if (await rewrap(client, vault, row)) {
          wrapped++;
        } else {
          failed++;
          if (unreadable.length < UNREADABLE_TOLD_MAX) unreadable.push(row.context);
        }
      }
      return stale.rows;
    });
    onProgress({ done: Math.min(wrapped + failed, total), total });
    const last = rows.at(-1);
    if (last === undefined) return { wrapped, unreadable };
    after = last.data_key_id;
  }
}

/** Returns false for a data key that cannot be unwrapped. */
async function rewrap(client: PoolClient, vault: KeyVault, row: DataKeyRow): Promise<boolean> {
  const { data_key_id, context, key_version, wrapped } = row;
  let dataKey: Buffer;
  try {
    dataKey = await vault.unwrap({ keyVersion: key_version, bytes: wrapped }, context, client);
  } catch (error) {
    if (error instanceof UnreadableSecret) return false;
    throw error;
  }
  try {
    const anew = await vault.wrap(dataKey, context, client);
    await client.query('UPDATE vault_data_keys SET key_version = $2, wrapped = $3 WHERE data_key_id = $1', [
      data_key_id,
      anew.keyVersion,
      anew.bytes,
    ]);
    return true;
  } finally {
    dataKey.fill(0);
  }
}
