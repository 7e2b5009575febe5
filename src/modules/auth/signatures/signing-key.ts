import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Principal } from '../../../kit/security/principal.js';

/** What signatures of a key are verified by: its present public half or secret, or the former one for a while. */
export interface SigningHalf {
  /** The 32 bytes of a public half in base64url, or a digest of a sealed secret. */
  readonly name: string;
  readonly key: KeyObject;
  /** When it ends before the key does; `Infinity` for the present one. */
  readonly endsAtMs: number;
  /** Who signs with it. */
  readonly principal: Principal;
}

/** A signing key, by whose id its signatures are looked up. */
export interface SigningKey {
  readonly halves: readonly SigningHalf[];
}

/** As Node takes a raw Ed25519 key. */
export function publicHalfOf(bytes: Buffer, principal: Principal, endsAtMs = Infinity): SigningHalf {
  const name = bytes.toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: name }, format: 'jwk' });
  return { name, key, endsAtMs, principal };
}

/** The halves that are good now, the present one first. */
export function goodHalvesOf({ halves }: SigningKey): readonly SigningHalf[] {
  return halves.filter(({ endsAtMs }) => Date.now() < endsAtMs);
}
