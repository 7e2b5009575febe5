import type { Transaction } from '../database/transaction.js';

/** A data key as it is stored: encrypted by a key that never leaves the vault. */
export interface WrappedKey {
  /** The version of the vault's key that wraps it, as the vault names it. */
  readonly keyVersion: string;
  readonly bytes: Buffer;
}

/**
 * Extension point: holds the top-level keys, such as a KMS or an HSM. Every stored secret has a data key of its own,
 * and the vault wraps those. `context` names the secret that a data key is for; a key that was wrapped for one context
 * must not open for another (a KMS calls it encryption context, or additional authenticated data). It is not secret.
 *
 * Methods reject with `temporarily_unavailable` where a retry may help, and with an `UnreadableSecret` where the bytes
 * are not what `wrap` made for this context. Messages must not contain keys.
 *
 * `transaction` is the caller's, where there is one: a vault that reads the database reads it there, and never takes a
 * connection of its own while the caller holds one.
 */
export abstract class KeyVault {
  /**
   * The version that `wrap` uses now. Data keys of other versions can still be unwrapped, and are due to be rewrapped.
   */
  abstract currentVersion(): Promise<string>;

  /** Wraps a data key under the current version. The caller keeps its buffer and wipes it. */
  abstract wrap(dataKey: Uint8Array, context: string, transaction?: Transaction): Promise<WrappedKey>;

  /** Returns the data key in a buffer that the caller wipes. */
  abstract unwrap(wrapped: WrappedKey, context: string, transaction?: Transaction): Promise<Buffer>;
}

/** A stored secret cannot be authenticated: it was changed, moved to another place, or sealed with other keys. */
export class UnreadableSecret extends Error {
  constructor(what: string, options?: ErrorOptions) {
    super(`The secret ${what} cannot be opened: it was changed, or belongs elsewhere.`, options);
    this.name = 'UnreadableSecret';
  }
}
