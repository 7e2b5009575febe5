import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretBox } from '../../kit/vault/secret-box.js';

/**
 * Keyed hashes that find a document or account again although it is stored encrypted. The numbers have so little
 * entropy that plain hashes could be reversed by trying all; so a key, made once, is kept in the vault.
 */
@Injectable()
export class Fingerprints {
  private readonly keys = new Map<string, Promise<Buffer>>();

  constructor(private readonly box: SecretBox) {}

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

  private load(purpose: string): Promise<Buffer> {
    return this.box.openOrMake({
      table: 'banking_keys',
      key: 'key_name',
      row: purpose,
      column: 'sealed_key',
    });
  }
}
