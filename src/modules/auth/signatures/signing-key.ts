import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Principal } from '../../../platform/security/principal.js';

/** One public half of a signing key: its present one, or the former one for a while. */
export interface PublicHalf {
  /** The 32 bytes of the key, in base64url. */
  readonly name: string;
  readonly key: KeyObject;
  /** When it ends before the key does; `Infinity` for the present one. */
  readonly endsAtMs: number;
  /** Who signs with it. */
  readonly principal: Principal;
}

/** A signing key, by whose id its signatures are looked up. */
export interface SigningKey {
  readonly halves: readonly PublicHalf[];
}

/** As Node takes a raw Ed25519 key. */
export function publicHalfOf(bytes: Buffer, principal: Principal, endsAtMs = Infinity): PublicHalf {
  const name = bytes.toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: name }, format: 'jwk' });
  return { name, key, endsAtMs, principal };
}

/** The halves that are good now, the present one first. */
export function goodHalvesOf({ halves }: SigningKey): readonly PublicHalf[] {
  return halves.filter(({ endsAtMs }) => Date.now() < endsAtMs);
}
