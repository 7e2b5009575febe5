import { randomBytes } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { ConfigError } from '../config/config.js';
import { lockUntilCommit } from '../database/advisory-locks.js';
import { inTransaction, rowsOf, type Transaction } from '../database/transaction.js';
import { TEMPORARILY_UNAVAILABLE } from '../http/error-codes.js';
import { ApiError } from '../http/errors.js';
import { KEY_BYTES, decrypt, encrypt } from './encryption.js';
import { KeyVault, UnreadableSecret, type WrappedKey } from './key-vault.js';
import { stretch, type Passphrase } from './passphrase.js';

/** Advisory lock held while locks or master keys change, so that two changes never run at once. */
const KEYSTORE_LOCK = 7_301_544_011;

const SALT_BYTES = 16;

/** A key that wraps data keys. */
interface MasterKey {
  readonly version: number;
  readonly key: Buffer;
}

interface LockRow {
  readonly lock_id: string;
  readonly salt: Buffer;
  readonly memory_kib: number;
  readonly passes: number;
}

interface MasterKeyRow {
  readonly version: number;
  readonly wrapped: Buffer;
}

/**
 * The master keys, in the tables `vault_locks` and `vault_master_keys`. A passphrase opens a lock: its stretched form
 * is the key under which the lock keeps its own copy of every master key. A passphrase is changed by adding a lock;
 * both open until the service has started with the new one, so a crash never leaves keys that nothing opens. Old
 * versions of the master key stay: data keys may still be wrapped by them.
 */
export class Keystore extends KeyVault {
  private readonly masterKeys = new Map<number, Buffer>();

  private constructor(
    private readonly pool: Pool,
    private readonly lockId: string,
    private readonly lockKey: Buffer,
  ) {
    super();
  }

  /** Whether master keys exist. */
  static async exists(pool: Pool): Promise<boolean> {
    const { rows } = await pool.query('SELECT 1 FROM vault_locks LIMIT 1');
    return rows.length > 0;
  }

  /**
   * Opens the store, and creates it where there is none.
   * @throws ConfigError in one line where the passphrase opens none of its locks
   */
  static async open(pool: Pool, passphrase: Passphrase): Promise<Keystore> {
    const locks = await pool.query<LockRow>('SELECT * FROM vault_locks ORDER BY lock_id DESC');
    if (locks.rows.length === 0) {
      await alone(pool, async (client) => {
        const { rowCount } = await client.query('SELECT 1 FROM vault_locks LIMIT 1');
        if (rowCount === 0) await addLock(client, passphrase, [newMasterKey(1)]);
      });
      return Keystore.open(pool, passphrase);
    }
    for (const lock of locks.rows) {
      const lockKey = await stretch(passphrase.text, lock.salt, {
        memoryKib: lock.memory_kib,
        passes: lock.passes,
      });
      const store = new Keystore(pool, lock.lock_id, lockKey);
      if (await store.load().catch(isUnreadable)) return store;
      store.close();
    }
    throw new ConfigError(
      passphrase.source,
      'is not the passphrase that the stored keys were encrypted with: start with that one. Without it wallets and stored secrets cannot be opened.',
    );
  }

  override async currentVersion(): Promise<string> {
    return String((await this.newest()).version);
  }

  override async wrap(dataKey: Uint8Array, context: string, transaction?: Transaction): Promise<WrappedKey> {
    const { version, key } = await this.newest(transaction);
    return { keyVersion: String(version), bytes: encrypt(key, dataKey, dataKeyContext(version, context)) };
  }

  override async unwrap(
    { keyVersion, bytes }: WrappedKey,
    context: string,
    transaction?: Transaction,
  ): Promise<Buffer> {
    const version = Number(keyVersion);
    if (!Number.isSafeInteger(version)) throw new UnreadableSecret(context);
    const { key } = await this.masterKey(version, transaction);
    try {
      return decrypt(key, bytes, dataKeyContext(version, context));
    } catch (error) {
      throw new UnreadableSecret(context, { cause: error });
    }
  }

  /** The newest master key of all processes: reads the table each time. */
  private async newest(transaction: Transaction = this.pool): Promise<MasterKey> {
    const [row] = await rowsOf<{ version: number }>(
      transaction,
      'SELECT max(version) AS version FROM vault_master_keys',
      [],
    );
    return this.masterKey(row?.version ?? 0, transaction);
  }

  /** Throws `temporarily_unavailable` (503) for a version that this process's passphrase does not open. */
  private async masterKey(version: number, transaction?: Transaction): Promise<MasterKey> {
    if (!this.masterKeys.has(version)) await this.load(transaction);
    const key = this.masterKeys.get(version);
    if (key) return { version, key };
    throw new ApiError(TEMPORARILY_UNAVAILABLE, 'The service cannot open its keys; tell its operator.', {
      cause: new Error(`master key ${version} is not under the passphrase that this process started with`),
    });
  }

  /**
   * Adds a master key, which wraps all data keys from now on.
   * @throws ConfigError where a second passphrase opens the store too: it would not open the new key
   */
  async addMasterKey(): Promise<void> {
    const masterKey = await alone(this.pool, async (client) => {
      const locks = await client.query<{ lock_id: string }>('SELECT lock_id FROM vault_locks');
      if (locks.rows.some(({ lock_id }) => lock_id !== this.lockId)) {
        throw new ConfigError(
          'KEYSTORE_PASSPHRASE',
          'was changed, but the service has not been started with the new one yet: do that first.',
        );
      }
      const { rows } = await client.query<{ version: number }>(
        'SELECT max(version) AS version FROM vault_master_keys',
      );
      const added = newMasterKey((rows[0]?.version ?? 0) + 1);
      await storeMasterKey(client, this.lockId, this.lockKey, added);
      return added;
    });
    this.masterKeys.set(masterKey.version, masterKey.key);
  }

  /**
   * Adds a lock that another passphrase opens. Removes a lock newer than this one's: an abandoned change of passphrase
   * added it.
   */
  async addLock(passphrase: Passphrase): Promise<void> {
    await alone(this.pool, async (client) => {
      await this.load(client);
      await client.query('DELETE FROM vault_locks WHERE lock_id > $1', [this.lockId]);
      await addLock(
        client,
        passphrase,
        [...this.masterKeys].map(([version, key]) => ({ version, key })),
      );
    });
  }

  /** The service has started with this passphrase: removes the locks of earlier ones. */
  async dropOlderLocks(): Promise<void> {
    await alone(this.pool, (client) =>
      client.query('DELETE FROM vault_locks WHERE lock_id < $1', [this.lockId]),
    );
  }

  /** Wipes all keys from memory. */
  close(): void {
    this.lockKey.fill(0);
    for (const key of this.masterKeys.values()) key.fill(0);
    this.masterKeys.clear();
  }

  /** Returns whether there were keys to load. Throws an UnreadableSecret for a wrong passphrase. */
  private async load(transaction: Transaction = this.pool): Promise<boolean> {
    const rows = await rowsOf<MasterKeyRow>(
      transaction,
      'SELECT version, wrapped FROM vault_master_keys WHERE lock_id = $1',
      [this.lockId],
    );
    for (const { version, wrapped } of rows) {
      if (this.masterKeys.has(version)) continue;
      try {
        this.masterKeys.set(version, decrypt(this.lockKey, wrapped, masterKeyContext(this.lockId, version)));
      } catch (error) {
        throw new UnreadableSecret(`vault_master_keys ${version}`, { cause: error });
      }
    }
    return rows.length > 0;
  }
}

async function addLock(
  client: PoolClient,
  { text, cost }: Passphrase,
  masterKeys: readonly MasterKey[],
): Promise<void> {
  const salt = randomBytes(SALT_BYTES);
  const { rows } = await client.query<{ lock_id: string }>(
    'INSERT INTO vault_locks (salt, memory_kib, passes) VALUES ($1, $2, $3) RETURNING lock_id',
    [salt, cost.memoryKib, cost.passes],
  );
  const lockKey = await stretch(text, salt, cost);
  try {
    for (const masterKey of masterKeys) await storeMasterKey(client, rows[0]!.lock_id, lockKey, masterKey);
  } finally {
    lockKey.fill(0);
  }
}

async function storeMasterKey(
  client: PoolClient,
  lockId: string,
  lockKey: Buffer,
  { version, key }: MasterKey,
): Promise<void> {
  await client.query('INSERT INTO vault_master_keys (lock_id, version, wrapped) VALUES ($1, $2, $3)', [
    lockId,
    version,
    encrypt(lockKey, key, masterKeyContext(lockId, version)),
  ]);
}

function newMasterKey(version: number): MasterKey {
  return { version, key: randomBytes(KEY_BYTES) };
}

function masterKeyContext(lockId: string, version: number): Buffer {
  return Buffer.from(`vault_master_keys.wrapped:${lockId}/${version}`, 'utf8');
}

function dataKeyContext(version: number, context: string): Buffer {
  return Buffer.from(`vault_data_keys.wrapped:${version}/${context}`, 'utf8');
}

function isUnreadable(error: unknown): false {
  if (error instanceof UnreadableSecret) return false;
  throw error;
}

/** Runs a transaction that excludes all others of the key store. */
function alone<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  return inTransaction(pool, async (client) => {
    await lockUntilCommit(client, KEYSTORE_LOCK);
    return work(client);
  });
}
