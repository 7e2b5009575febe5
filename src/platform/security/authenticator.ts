import type { PresentedCredential } from './presented-credential.js';
import type { Principal } from './principal.js';

/**
 * A credential that was good once, to be looked at again while a connection lasts. It says which one it was
 * without being it.
 */
export interface HeldCredential {
  readonly scheme: PresentedCredential['scheme'];
  readonly digest: string;
}

/**
 * Turns what a caller presents into a principal. Bound by the auth module; the strategies of HTTP and
 * of sockets call it. An unknown, expired or revoked credential gives `undefined`, never an error; it
 * rejects only where the store that would know cannot be reached.
 */
export abstract class Authenticator {
  abstract authenticateBearer(token: string): Promise<Principal | undefined>;
  abstract authenticateApiKey(key: string): Promise<Principal | undefined>;

  /** What remains to be known of a credential, whether it is good or not. */
  abstract hold(credential: PresentedCredential): HeldCredential;
  /** Whether a credential was good when it was last presented; asks nobody. */
  abstract knows(held: HeldCredential): boolean;
  /** Whether a stream ticket was good on this path when it was last presented; asks nobody. */
  abstract knowsTicket(ticket: string, path: string): boolean;
  /** The principal behind a held credential, if it is still good. */
  abstract principalOf(held: HeldCredential): Promise<Principal | undefined>;
  /** The credential that a stream ticket stands for on this path, whether that is still good or not. */
  abstract credentialOfTicket(ticket: string, path: string): Promise<HeldCredential | undefined>;
  /** Calls the listener when credentials were revoked or changed, by this process or another: look at them again. */
  abstract onChanged(listener: () => void): void;
}
