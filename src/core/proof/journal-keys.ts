import {
  createHmac,
  createPrivateKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { ClientBase, Pool } from 'pg';
import type { EntityManager } from 'typeorm';
import { base64Of } from '../../domain/proof/bytes.js';
import { type JournalKey, type KeyStatement, keyBytes, keyIdOf } from '../../domain/proof/journal-head.js';
import { PG_POOL } from '../../kit/database/pg-pool.js';
import { rowsOf } from '../../kit/database/transaction.js';
import { type HouseSecretPlace, SecretBox, type SecretPlace } from '../../kit/vault/secret-box.js';
import type { JournalSecrets } from './journal-tree.js';
import { Pseudonyms } from './pseudonyms.js';

const ROW_SECRET: HouseSecretPlace = {
  table: 'journal_secrets',
  key: 'name',
  row: 'statements',
  column: 'sealed_secret',
};
const PUBLIC_KEY_BYTES = 32;

const KEY_COLUMNS = `key_id, public_key, sealed_key, activated_at, previous_key_id, handover_signature, own_signature`;

const INSERT_KEY = `
  INSERT INTO journal_keys (key_number, ${KEY_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (key_number) DO NOTHING`;

interface KeyRow {
  readonly key_number: number;
  readonly key_id: string;
  readonly public_key: Buffer;
  readonly sealed_key: Buffer;
  readonly activated_at: Date;
  readonly previous_key_id: string | null;
  readonly handover_signature: Buffer | null;
  readonly own_signature: Buffer;
}

/** Signs without waiting for anything, by the key that was the newest when it was made. */
export interface HeadSigner {
  readonly keyId: string;
  /** Ed25519 in base64. */
  readonly sign: (message: Uint8Array) => string;
}

/**
 * The keys that sign where the journal stands and what the service owes. Private keys are sealed in the vault. There is
 * one key at a time; each signs the one that follows it, so that who trusts the first may trust all.
 */
@Injectable()
export class JournalKeys {
  /** Opened once: keys are few and never change. */
  private readonly opened = new Map<string, KeyObject>();
  private keptSecrets: JournalSecrets | null = null;

  constructor(
    private readonly box: SecretBox,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {}

  /** The first key is made at the first use. Rejects as the vault does. */
  async signer(): Promise<HeadSigner> {
    const row = await this.current();
    const key = await this.open(row);
    return { keyId: row.key_id, sign: (message) => sign(null, message, key).toString('base64') };
  }

  /** All keys there ever were, the first one first. */
  async list(): Promise<JournalKey[]> {
    await this.current();
    return readJournalKeys(this.pool);
  }

  /** Makes a new key, which signs from now on, in the caller's transaction. */
  async rotate(manager: EntityManager): Promise<JournalKey> {
    await this.current(manager);
    await manager.query('LOCK TABLE journal_keys IN EXCLUSIVE MODE');
    await this.make(await this.newest(manager), manager);
    return keyOf((await this.newest(manager))!);
  }

  /** The secrets of journal rows and of pseudonyms. */
  async secrets(): Promise<JournalSecrets> {
    if (this.keptSecrets !== null) return this.keptSecrets;
    const secret = await this.box.openOrMake(ROW_SECRET);
    const key = createSecretKey(secret);
    secret.fill(0);
    const secretOf = (what: string) => createHmac('sha256', key).update(what).digest();
    // Of several that open it at a time, one is kept.
    this.keptSecrets ??= {
      ofRow: (height) => secretOf(String(height)),
      pseudonyms: new Pseudonyms(secretOf('pseudonyms')),
    };
    return this.keptSecrets;
  }

  private async current(manager?: EntityManager): Promise<KeyRow> {
    const known = await this.newest(manager);
    if (known !== undefined) return known;
    // Of several processes that make the first one, all get the same.
    await this.make(undefined, manager);
    return (await this.newest(manager))!;
  }

  private async newest(manager?: EntityManager): Promise<KeyRow | undefined> {
    const [row] = await rowsOf<KeyRow>(
      manager ?? this.pool,
      `SELECT key_number, ${KEY_COLUMNS} FROM journal_keys ORDER BY key_number DESC LIMIT 1`,
      [],
    );
    return row;
  }

  private async make(previous: KeyRow | undefined, manager?: EntityManager): Promise<void> {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const publicBytes = publicKey.export({ format: 'der', type: 'spki' }).subarray(-PUBLIC_KEY_BYTES);
    const statement: KeyStatement = {
      key_id: keyIdOf(publicBytes),
      public_key: base64Of(publicBytes),
      activated_at: new Date().toISOString(),
      previous_key_id: previous?.key_id ?? null,
    };
    const message = keyBytes(statement);
    const plain = privateKey.export({ format: 'der', type: 'pkcs8' });
    try {
      await rowsOf(manager ?? this.pool, INSERT_KEY, [
        (previous?.key_number ?? 0) + 1,
        statement.key_id,
        publicBytes,
        await this.box.seal(plain, placeOf(statement.key_id), manager),
        statement.activated_at,
        statement.previous_key_id,
        previous === undefined ? null : sign(null, message, await this.open(previous, manager)),
        sign(null, message, privateKey),
      ]);
    } finally {
      plain.fill(0);
    }
  }

  private async open({ key_id, sealed_key }: KeyRow, manager?: EntityManager): Promise<KeyObject> {
    const known = this.opened.get(key_id);
    if (known !== undefined) return known;
    const plain = await this.box.open(sealed_key, placeOf(key_id), manager);
    try {
      const key = createPrivateKey({ key: plain, format: 'der', type: 'pkcs8' });
      this.opened.set(key_id, key);
      return key;
    } finally {
      plain.fill(0);
    }
  }
}

/** All keys that a database has, the first one first. */
export async function readJournalKeys(client: ClientBase | Pool): Promise<JournalKey[]> {
  const { rows } = await client.query<KeyRow>(
    `SELECT key_number, ${KEY_COLUMNS} FROM journal_keys ORDER BY key_number`,
  );
  return rows.map(keyOf);
}

function keyOf(row: KeyRow): JournalKey {
  return {
    key_id: row.key_id,
    public_key: base64Of(row.public_key),
    activated_at: row.activated_at.toISOString(),
    previous_key_id: row.previous_key_id,
    handover_signature: row.handover_signature && base64Of(row.handover_signature),
    own_signature: base64Of(row.own_signature),
  };
}

function placeOf(keyId: string): SecretPlace {
  return { table: 'journal_keys', row: keyId, column: 'sealed_key' };
}
