import { createHmac, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { PG_POOL } from '../../platform/database/pg-pool.js';
import { SecretBox, type SecretPlace } from '../../platform/vault/secret-box.js';

const KEY_BYTES = 32;

/**
 * Keyed hashes that find a document or account again although it is stored encrypted. The numbers have so little
 * entropy that plain hashes could be reversed by trying all; so a key, made once, is kept in the vault.
 */
@Injectable()
export class Fingerprints {
  private readonly keys = new Map<string, Promise<Buffer>>();

  constructor(
    private readonly box: SecretBox,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {}

  /**
   * 32 bytes, the same for the same parts and purpose, which is a name such as `kyc_document`. Normalise the parts
   * before. Rejects as the vault does.
   */
  async of(purpose: string, parts: readonly string[]): Promise<Buffer> {
    const key = await this.keyOf(purpose);
    return createHmac('sha256', key).update(JSON.stringify(parts), 'utf8').digest();
  }

  private keyOf(purpose: string): Promise<Buffer> {
    const known = this.keys.get(purpose);
    if (known) return known;
    const loading = this.load(purpose);
    this.keys.set(purpose, loading);
    loading.catch(() => this.keys.delete(purpose));
    return loading;
  }

  private async load(purpose: string): Promise<Buffer> {
    const place: SecretPlace = { table: 'banking_keys', row: purpose, column: 'sealed_key' };
    const sealed = (await this.find(purpose)) ?? (await this.make(purpose, place));
    return this.box.open(sealed, place);
  }

  private async find(purpose: string): Promise<Buffer | undefined> {
    const { rows } = await this.pool.query<{ sealed_key: Buffer }>(
      'SELECT sealed_key FROM banking_keys WHERE key_name = $1',
      [purpose],
    );
    return rows[0]?.sealed_key;
  }

  /** If several processes create the key at once, all get the same one. */
  private async make(purpose: string, place: SecretPlace): Promise<Buffer> {
    await this.pool.query(
      'INSERT INTO banking_keys (key_name, sealed_key) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [purpose, await this.box.seal(randomBytes(KEY_BYTES), place)],
    );
    return (await this.find(purpose))!;
  }
}
