import type { Transaction } from '../database/transaction.js';

/** A data key as it is stored: encrypted by a key that never leaves the vault. */
export interface WrappedKey {
  /** The version of the vault's key that wraps it, as the vault names it. */
  readonly keyVersion: string;
  readonly bytes: Buffer;
}

/**
 * Extension point: who holds the keys above all others, such as a KMS or an HSM. Every stored secret has a
 * data key of its own, and the vault wraps those. `context` names the secret that a data key is for; a key
 * that was wrapped for one context must not open for another (it is what a KMS calls encryption context, or
 * additional authenticated data). It is no secret itself.
 *
 * What cannot be done rejects: with `temporarily_unavailable` where trying again may help, with an
 * `UnreadableSecret` where the bytes are not what `wrap` made for this context. Keys belong in no message.
 *
 * `transaction` is that of the caller, where there is one: a vault that reads the database does it there, and never
 * asks for a connection of its own while the caller holds one.
 */
export abstract class KeyVault {
  /** The version that `wrap` uses now. Data keys of other versions still open, and are due to be wrapped anew. */
  abstract currentVersion(): Promise<string>;

  /** Wraps a data key under the current version. The caller keeps, and wipes, what it handed over. */
  abstract wrap(dataKey: Uint8Array, context: string, transaction?: Transaction): Promise<WrappedKey>;

  /** The data key again, in a buffer that the caller wipes. */
  abstract unwrap(wrapped: WrappedKey, context: string, transaction?: Transaction): Promise<Buffer>;
}

/** A stored secret is not what was stored: changed, moved to another place, or sealed by other keys. */
export class UnreadableSecret extends Error {
  constructor(what: string, options?: ErrorOptions) {
    super(`The secret ${what} cannot be opened: it was changed, or belongs elsewhere.`, options);
    this.name = 'UnreadableSecret';
  }
}
