import { Injectable } from '@nestjs/common';
import { decrypt, encrypt } from '../../../kit/vault/encryption.js';
import { SecretBox } from '../../../kit/vault/secret-box.js';

/**
 * Encrypts what providers renew log-ins by, under one key that the vault keeps: rows that are purged with their sessions
 * leave nothing behind there.
 */
@Injectable()
export class RenewalSecrets {
  private key: Promise<Buffer> | undefined;

  constructor(private readonly box: SecretBox) {}

  /** Opens for this row alone. Rejects as the vault does. */
  async seal(renewal: string, identitySessionId: string): Promise<Buffer> {
    return encrypt(await this.keyOfHouse(), Buffer.from(renewal, 'utf8'), Buffer.from(identitySessionId));
  }

  async open(sealed: Buffer, identitySessionId: string): Promise<string> {
    return decrypt(await this.keyOfHouse(), sealed, Buffer.from(identitySessionId)).toString('utf8');
  }

  private keyOfHouse(): Promise<Buffer> {
    this.key ??= this.box
      .openOrMake({ table: 'identity_keys', key: 'key_name', row: 'renewals', column: 'sealed_key' })
      .catch((error: unknown) => {
        this.key = undefined;
        throw error;
      });
    return this.key;
  }
}
