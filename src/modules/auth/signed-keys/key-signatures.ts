import { createHmac, hash, timingSafeEqual, verify as verifyInCallback } from 'node:crypto';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import { RateLimits } from '../../../kit/rate-limit/rate-limits.js';
import { requireAllowedNetwork } from '../../../kit/security/allowed-networks.js';
import type { HeldCredential } from '../../../kit/security/authenticator.js';
import { signatureMismatch, signatureReplayed } from '../../../kit/security/challenges.js';
import type { Principal } from '../../../kit/security/principal.js';
import { SignedKeys, type SignedText, type Signer } from '../../../kit/security/signed-keys.js';
import { CredentialAuthenticator } from '../credentials/credential-authenticator.js';
import type { SigningHalf } from '../signatures/signing-key.js';
import { UsedNonces } from '../signatures/used-nonces.js';

/** In a thread of the pool: it takes as long as the rest of a small request. */
const verify = promisify(verifyInCallback);

/** Longer than any id. */
const KEY_ID_LENGTH_MAX = 64;

/** Verifies by the keys that the cache of credentials has. */
@Injectable()
export class KeySignatures extends SignedKeys {
  constructor(
    private readonly authenticator: CredentialAuthenticator,
    private readonly limits: RateLimits,
    private readonly nonces: UsedNonces,
  ) {
    super();
  }

  override async signerOf({ apiKey, signed, signature, address, use }: SignedText): Promise<Signer> {
    const bucket = this.limits.bucketOf(address);
    const isName = typeof apiKey === 'string' && apiKey.length <= KEY_ID_LENGTH_MAX;
    if (this.limits.isSpentBySomebody('refusals') && !(isName && this.authenticator.knowsKey(apiKey)))
      await this.limits.requireBudget('refusals', bucket);
    const signer = isName
      ? await this.authenticator.signerBy(apiKey, (half) => isSignedBy(half, signed, signature))
      : undefined;
    if (signer === undefined) {
      await this.limits.consume('refusals', bucket);
      throw signatureMismatch();
    }
    requireAllowedNetwork(signer.principal, address);
    if (use !== undefined) {
      const digest = `text:${hash('sha256', signed, 'base64url')}`;
      if (!(await this.nonces.bind(apiKey, digest, use.name, use.goodUntilMs))) throw signatureReplayed();
    }
    return signer;
  }

  override principalOf(credential: HeldCredential): Promise<Principal | undefined> {
    return this.authenticator.principalOf(credential);
  }
}

async function isSignedBy({ key }: SigningHalf, signed: Uint8Array, signature: Uint8Array): Promise<boolean> {
  if (key.type === 'public') return signature.length === 64 && verify(null, signed, key, signature);
  const expected = createHmac('sha256', key).update(signed).digest();
  return signature.length === expected.length && timingSafeEqual(expected, signature);
}
