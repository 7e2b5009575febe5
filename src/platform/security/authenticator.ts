import type { Principal } from './principal.js';

/** What a caller proves itself with. */
export interface PresentedCredential {
  readonly scheme: 'bearer' | 'api_key';
  readonly secret: string;
}

/**
 * Turns what a caller presents into a principal. Bound by the auth module; the strategies of HTTP and
 * of sockets call it. An unknown, expired or revoked credential gives `undefined`, never an error; it
 * rejects only where the store that would know cannot be reached.
 */
export abstract class Authenticator {
  abstract authenticateBearer(token: string): Promise<Principal | undefined>;
  abstract authenticateApiKey(key: string): Promise<Principal | undefined>;

  authenticate({ scheme, secret }: PresentedCredential): Promise<Principal | undefined> {
    return scheme === 'bearer' ? this.authenticateBearer(secret) : this.authenticateApiKey(secret);
  }
}
