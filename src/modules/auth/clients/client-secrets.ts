import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { PasswordHasher } from '../../users/password-hasher.js';
import { digestOf } from '../secrets/secrets.js';

const VERIFIED_MAX = 1_000;
const VERIFIED_FOR_MS = 10 * 60_000;

/**
 * Hashes and verifies client secrets. Verifying a chosen secret costs tens of milliseconds of argon2id, so a success is
 * cached, as a keyed digest of secret and hash. A changed secret gives another entry, and the key never leaves the
 * process.
 */
@Injectable()
export class ClientSecrets {
  private readonly memoryKey = randomBytes(32);
  private readonly verified = new LRUCache<string, true>({ max: VERIFIED_MAX, ttl: VERIFIED_FOR_MS });

  constructor(private readonly passwords: PasswordHasher) {}

  /** The stored form of a chosen secret. */
  hashChosen(secret: string): Promise<string> {
    return this.passwords.hash(secret);
  }

  /**
   * Whether `stored` was made from `secret`. Rejects with `rate_limited` (429) if too many chosen secrets are being
   * verified.
   */
  async verify(stored: string, secret: string): Promise<boolean> {
    if (!stored.startsWith('$argon2')) return isSameDigest(stored, digestOf(secret));
    const memory = createHmac('sha256', this.memoryKey).update(`${stored}\n${secret}`).digest('base64url');
    if (this.verified.has(memory)) return true;
    const isRight = await this.passwords.verify(stored, secret);
    if (isRight) this.verified.set(memory, true);
    return isRight;
  }
}

function isSameDigest(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
