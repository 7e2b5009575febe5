import type { IncomingMessage } from 'node:http';
import { presentedCredentialOf, type PresentedCredential } from './presented-credential.js';
import type { Principal } from './principal.js';
import type { SignedRequest } from './signed-request.js';

declare global {
  // Express' types can only be added to where they are declared, in this namespace.
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    interface Request {
      /** What admitted the caller, unless a secret in a header did: a signature, or the credential behind a ticket. */
      heldCredential?: HeldCredential;
    }
  }
}

/**
 * A credential that was valid once, to be checked again while a connection lasts. It identifies the credential without
 * containing it.
 */
export interface HeldCredential {
  readonly scheme: PresentedCredential['scheme'] | 'signature';
  /** For a signature the id of its key and, after a dot, the public half that it was verified with. */
  readonly digest: string;
}

/** Who sent a request that was signed. */
export interface VerifiedSignature {
  readonly credential: HeldCredential;
  readonly principal: Principal;
}

/**
 * Turns a presented credential into a principal. Bound by the auth module; the HTTP and socket strategies call it. An
 * unknown, expired or revoked credential gives `undefined`, never an error; it rejects only where the store cannot be
 * reached.
 */
export abstract class Authenticator {
  abstract authenticateBearer(token: string): Promise<Principal | undefined>;
  abstract authenticateApiKey(key: string): Promise<Principal | undefined>;

  /**
   * Verifies a signature and uses up its nonce. Throws `signature_invalid` and `signature_replayed` (401), and
   * `temporarily_unavailable` (503) where too many wait.
   */
  abstract authenticateSigned(request: SignedRequest): Promise<VerifiedSignature>;

  /** What to remember of a credential, whether it is valid or not. */
  abstract hold(credential: PresentedCredential): HeldCredential;
  /** Whether a credential was valid when it was last presented; makes no query. */
  abstract knows(held: HeldCredential): boolean;
  /** Whether the id that a signed request names was that of a key when it was last named; makes no query. */
  abstract knowsSigner(request: SignedRequest): boolean;
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

  /** What a caller was let in with, to be remembered; undefined where nobody asked. */
  heldBy(request: IncomingMessage & Pick<Express.Request, 'heldCredential'>): HeldCredential | undefined {
    const presented = presentedCredentialOf(request.headers);
    return presented === undefined ? request.heldCredential : this.hold(presented);
  }
}
