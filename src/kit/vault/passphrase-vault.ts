import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Pool } from 'pg';
import { CONFIG, ConfigError, type Config } from '../config/config.js';
import { PG_POOL } from '../database/pg-pool.js';
import type { Transaction } from '../database/transaction.js';
import { KeyVault, type WrappedKey } from './key-vault.js';
import { Keystore } from './keystore.js';
import { findPassphrase, madePassphrasePath, makePassphrase, type Passphrase } from './passphrase.js';

/**
 * The default: a passphrase → argon2id → the master keys of the database → data keys. It is required in
 * production; elsewhere one is made at the first start, in a file of mode 0600 under `DATA_DIR`.
 */
@Injectable()
export class PassphraseVault extends KeyVault implements OnModuleInit, OnApplicationShutdown {
  private opening: Promise<Keystore> | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {
    super();
    // Starts early, to stretch the passphrase on a thread of its own while the rest of the service starts.
    this.keystore().catch(() => undefined);
  }

  /** Throws a ConfigError, which keeps the service from starting, where there is no passphrase or a wrong one. */
  async onModuleInit(): Promise<void> {
    const keystore = await this.keystore();
    await keystore.dropOlderLocks();
  }

  async onApplicationShutdown(): Promise<void> {
    const keystore = await this.opening?.catch(() => undefined);
    keystore?.close();
  }

  override async currentVersion(): Promise<string> {
    return (await this.keystore()).currentVersion();
  }

  override async wrap(dataKey: Uint8Array, context: string, transaction?: Transaction): Promise<WrappedKey> {
    return (await this.keystore()).wrap(dataKey, context, transaction);
  }

  override async unwrap(wrapped: WrappedKey, context: string, transaction?: Transaction): Promise<Buffer> {
    return (await this.keystore()).unwrap(wrapped, context, transaction);
  }

  /** Opened once, by the first caller, which need not wait for the module's hook. */
  private keystore(): Promise<Keystore> {
    this.opening ??= openKeystore(this.config, this.pool);
    return this.opening;
  }
}

/** The key store of this configuration, created where there is none. Throws a ConfigError as the vault does. */
export async function openKeystore(config: Config, pool: Pool): Promise<Keystore> {
  return Keystore.open(pool, (await findPassphrase(config)) ?? (await firstPassphrase(config, pool)));
}

async function firstPassphrase(config: Config, pool: Pool): Promise<Passphrase> {
  const path = madePassphrasePath(config);
  if (await Keystore.exists(pool)) {
    // Another process may have started and made one since this one looked for a passphrase.
    const made = await findPassphrase(config);
    if (made !== undefined) return made;
    throw new ConfigError(
      'KEYSTORE_PASSPHRASE',
      `must be set: the stored keys were encrypted with a passphrase, and ${path} does not exist.`,
    );
  }
  return makePassphrase(path);
}
