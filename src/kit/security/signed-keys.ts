import type { HeldCredential } from './authenticator.js';
import type { Principal } from './principal.js';

/** The one use of a signed text: until it is too old, it is good for no other. */
export interface SignedUse {
  /** Such as a method and a path. */
  readonly name: string;
  /** When the text is too old anyway. */
  readonly goodUntilMs: number;
}

/** What somebody signed in another dialect than RFC 9421. */
export interface SignedText {
  /** The `api_key` of the answer that the key was made with. */
  readonly apiKey: string;
  /** The bytes as they came, before anything was made of them. */
  readonly signed: Uint8Array;
  /** 32 bytes by HMAC-SHA-256, 64 by Ed25519. */
  readonly signature: Uint8Array;
  /** What the text is sent for, in dialects where the signed bytes do not say it. */
  readonly use?: SignedUse;
  /** From where it came, as `request.ip` of Express tells it. */
  readonly address: string;
}

/** Who signed, and by which half of the key: to be checked again while a connection lasts. */
export interface Signer {
  readonly principal: Principal;
  readonly credential: HeldCredential;
}

/**
 * Verifies signatures of keys with `signing`, by HMAC-SHA-256 or Ed25519, for plugins that speak another dialect than our
 * own. Injectable everywhere, also in plugins.
 *
 * What the signed bytes mean is the plugin's business, and so are repeats: the same bytes are good each time for the same
 * use, so the dialect must have a time among them, and refuse what is old.
 */
export abstract class SignedKeys {
  /**
   * Who signed. Rejects with `signature_invalid` (401) for an unknown, expired or revoked key as for a wrong signature,
   * `signature_replayed` (401) for text that was sent for another use before, `invalid_api_key` (401) from an address that the key is not bound to, `rate_limited` (429) where an address has spent
   * its budget of refusals, and `temporarily_unavailable` (503).
   */
  abstract signerOf(text: SignedText): Promise<Signer>;

  /** Whoever is behind a signer now; undefined once the key or this half of it has ended, or its user was locked. */
  abstract principalOf(credential: HeldCredential): Promise<Principal | undefined>;
}
