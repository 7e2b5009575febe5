import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { EntityManager } from 'typeorm';
import { PG_POOL } from '../database/pg-pool.js';
import { rowsOf } from '../database/transaction.js';
import { KEY_BYTES, decrypt, encrypt } from './encryption.js';
import { KeyVault, UnreadableSecret } from './key-vault.js';

/** Where a secret is stored. A secret sealed for one place opens in no other. */
export interface SecretPlace {
  readonly table: string;
  /** The row's primary key as text. It must be known before the secret is sealed: take it from the sequence. */
  readonly row: string;
  readonly column: string;
}

/** A place in a table of secrets of the house, which has a row for each. */
export interface HouseSecretPlace extends SecretPlace {
  /** The column of the primary key, which holds `row`. */
  readonly key: string;
}

/** As long as a key of HMAC-SHA-256 needs to be. */
const HOUSE_SECRET_BYTES = 32;

/** The first byte of a sealed secret: the version of its format. */
const FORMAT = 1;
const HEADER_BYTES = 9;
const NAME = /^[a-z][a-z0-9_]{0,62}$/;

interface DataKeyRow {
  readonly key_version: string;
  readonly wrapped: Buffer;
}

/**
 * Keeps secrets that are needed again, such as the seeds of wallets: each encrypted under a data key of its own
 * (AES-256-GCM), which the `KeyVault` wraps. The result of `seal` goes into a `bytea` column; the wrapped data key is
 * kept apart, in `vault_data_keys`, so that a rotation of the vault's key touches nothing else.
 *
 * Both methods take the caller's transaction, where there is one; without it they use a connection of `PG_POOL`. They
 * reject as the vault does.
 */
@Injectable()
export class SecretBox {
  constructor(
    private readonly vault: KeyVault,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {}

  /** Encrypts for one place. The caller keeps its buffer and wipes it. */
  async seal(plaintext: Uint8Array, place: SecretPlace, manager?: EntityManager): Promise<Buffer> {
    const context = contextOf(place);
    const dataKey = randomBytes(KEY_BYTES);
    try {
      const { keyVersion, bytes } = await this.vault.wrap(dataKey, context, manager);
      const [row] = await rowsOf<{ readonly data_key_id: string }>(
        manager ?? this.pool,
        'INSERT INTO vault_data_keys (context, key_version, wrapped) VALUES ($1, $2, $3) RETURNING data_key_id',
        [context, keyVersion, bytes],
      );
      const header = Buffer.alloc(HEADER_BYTES);
      header.writeUInt8(FORMAT, 0);
      header.writeBigUInt64BE(BigInt(row!.data_key_id), 1);
      return Buffer.concat([header, encrypt(dataKey, plaintext, additionalData(header, context))]);
    } finally {
      dataKey.fill(0);
    }
  }

  /**
   * Decrypts a secret sealed for this place, into a buffer that the caller wipes. Throws an UnreadableSecret for any
   * other bytes.
   */
  async open(sealed: Uint8Array, place: SecretPlace, manager?: EntityManager): Promise<Buffer> {
    const context = contextOf(place);
    const header = Buffer.from(sealed.subarray(0, HEADER_BYTES));
    if (header.length < HEADER_BYTES || header.readUInt8(0) !== FORMAT) throw new UnreadableSecret(context);
    const dataKeyId = header.readBigInt64BE(1);
    const [row] = await rowsOf<DataKeyRow>(
      manager ?? this.pool,
      'SELECT key_version, wrapped FROM vault_data_keys WHERE data_key_id = $1',
      [dataKeyId.toString()],
    );
    if (row === undefined) throw new UnreadableSecret(context);
    const dataKey = await this.vault.unwrap(
      { keyVersion: row.key_version, bytes: row.wrapped },
      context,
      manager,
    );
    try {
      return decrypt(dataKey, sealed.subarray(HEADER_BYTES), additionalData(header, context));
    } catch (error) {
      throw new UnreadableSecret(context, { cause: error });
    } finally {
      dataKey.fill(0);
    }
  }

  /**
   * The 32 random bytes that are sealed in this place, made at the first call: of several processes that make them at
   * once, all get the same ones. Rejects as the vault does.
   */
  async openOrMake(place: HouseSecretPlace): Promise<Buffer> {
    const sealed = (await this.findHouseSecret(place)) ?? (await this.makeHouseSecret(place));
    return this.open(sealed, place);
  }

  /** Deletes the data key of a sealed secret that is deleted, too: nothing opens it any more. */
  async discard(sealed: Uint8Array, manager: EntityManager): Promise<void> {
    const dataKeyId = Buffer.from(sealed.subarray(0, HEADER_BYTES)).readBigInt64BE(1);
    await manager.query('DELETE FROM vault_data_keys WHERE data_key_id = $1', [dataKeyId.toString()]);
  }

  private async makeHouseSecret(place: HouseSecretPlace): Promise<Buffer> {
    const plain = randomBytes(HOUSE_SECRET_BYTES);
    try {
      const sealed = await this.seal(plain, place);
      const { table, key, column } = namesOf(place);
      await this.pool.query(
        `INSERT INTO ${table} (${key}, ${column}) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
        [place.row, sealed],
      );
    } finally {
      plain.fill(0);
    }
    // Another process may have been first; its secret is the one that is stored.
    return (await this.findHouseSecret(place))!;
  }

  private async findHouseSecret(place: HouseSecretPlace): Promise<Buffer | undefined> {
    const { table, key, column } = namesOf(place);
    const { rows } = await this.pool.query<{ readonly sealed: Buffer }>(
      `SELECT ${column} AS sealed FROM ${table} WHERE ${key} = $1`,
      [place.row],
    );
    return rows[0]?.sealed;
  }
}

/** Distinct places give distinct texts: names have no dot and no colon, and the row comes last. */
function contextOf({ table, row, column }: SecretPlace): string {
  if (!NAME.test(table) || !NAME.test(column)) throw new RangeError('A secret needs a table and a column.');
  return `${table}.${column}:${row}`;
}

/** The names of a place as they may stand in a statement. */
function namesOf({ table, key, column }: HouseSecretPlace): Omit<HouseSecretPlace, 'row'> {
  for (const name of [table, key, column])
    if (!NAME.test(name)) throw new RangeError(`A secret cannot be stored under the name ${name}.`);
  return { table, key, column };
}

function additionalData(header: Buffer, context: string): Buffer {
  return Buffer.concat([header, Buffer.from(context, 'utf8')]);
}
