import { createSecretKey, hash, type KeyObject } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { UnreadableSecret } from '../../../kit/vault/key-vault.js';
import { SecretBox, type SecretPlace } from '../../../kit/vault/secret-box.js';
import { newSecret } from '../secrets/secrets.js';
import { growingCache } from '../../../kit/growing-cache.js';

const OPENED_MAX = 20_000;

/** A secret that was opened, under a name that tells nothing of it. */
export interface SharedSecret {
  readonly name: string;
  readonly key: KeyObject;
}

/** The secrets of keys that sign by HMAC, which the service needs as much as their owners. */
@Injectable()
export class SharedSecrets {
  private readonly logger = new Logger(SharedSecrets.name);
  /** By their sealed bytes, so that another secret is never taken for the former one. */
  private readonly opened = growingCache<string, SharedSecret>(OPENED_MAX);

  constructor(private readonly box: SecretBox) {}

  /** A new secret for a key, and what of it is stored. */
  async begin(
    manager: EntityManager,
    apiKeyId: string,
  ): Promise<{ readonly secret: string; readonly sealed: Buffer }> {
    const secret = newSecret('tph');
    const sealed = await this.box.seal(Buffer.from(secret, 'utf8'), placeOf(apiKeyId), manager);
    return { secret, sealed };
  }

  /** Undefined where it cannot be read, as just after a rotation: other keys that are looked up with it go on. */
  async open(sealed: Buffer, apiKeyId: string): Promise<SharedSecret | undefined> {
    const name = hash('sha256', sealed, 'base64url');
    const known = this.opened.get(name);
    if (known !== undefined) return known;
    const secret = await this.box.open(sealed, placeOf(apiKeyId)).catch((error: unknown) => {
      if (!(error instanceof UnreadableSecret)) throw error;
      this.logger.warn({ msg: 'the secret of a key cannot be read', api_key_id: apiKeyId });
      return undefined;
    });
    if (secret === undefined) return undefined;
    const shared = { name, key: createSecretKey(secret) };
    secret.fill(0);
    this.opened.set(name, shared);
    return shared;
  }

  /** Nothing opens them any more: call it where the rows are deleted, or hold other secrets. */
  async discard(manager: EntityManager, ...sealed: readonly (Buffer | null)[]): Promise<void> {
    for (const each of sealed) if (each !== null) await this.box.discard(each, manager);
  }
}

function placeOf(apiKeyId: string): SecretPlace {
  return { table: 'api_keys', row: apiKeyId, column: 'sealed_secret' };
}
