import type { PresentedCredential } from './presented-credential.js';
import type { Principal } from './principal.js';

/**
 * A credential that was valid once, to be checked again while a connection lasts. It identifies the credential without
 * containing it.
 */
export interface HeldCredential {
  readonly scheme: PresentedCredential['scheme'];
  readonly digest: string;
}

/**
 * Turns a presented credential into a principal. Bound by the auth module; the HTTP and socket strategies call it. An
 * unknown, expired or revoked credential gives `undefined`, never an error; it rejects only where the store cannot be
 * reached.
 */
export abstract class Authenticator {
  abstract authenticateBearer(token: string): Promise<Principal | undefined>;
  abstract authenticateApiKey(key: string): Promise<Principal | undefined>;

  /** What to remember of a credential, whether it is valid or not. */
  abstract hold(credential: PresentedCredential): HeldCredential;
  /** Whether a credential was valid when it was last presented; makes no query. */
  abstract knows(held: HeldCredential): boolean;
  /** Whether a stream ticket was valid on this path when it was last presented; makes no query. */
  abstract knowsTicket(ticket: string, path: string): boolean;
  /** The principal behind a held credential, if it is still valid. */
  abstract principalOf(held: HeldCredential): Promise<Principal | undefined>;
  /** The credential behind a stream ticket on this path, whether still valid or not. */
  abstract credentialOfTicket(ticket: string, path: string): Promise<HeldCredential | undefined>;
  /**
   * Calls the listener when credentials were revoked or changed, by this process or another, so that they are checked
   * again.
   */
  abstract onChanged(listener: () => void): void;
}
