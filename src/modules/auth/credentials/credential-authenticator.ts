import { Injectable } from '@nestjs/common';
import { Authenticator } from '../../../platform/security/authenticator.js';
import type { Principal } from '../../../platform/security/principal.js';
import { digestOf } from '../secrets.js';
import { CredentialCache, type Credential } from './credential-cache.js';
import { CredentialStore } from './credential-store.js';
import { LastUses } from './last-uses.js';

type FoundCredentials = ReadonlyMap<string, Credential>;

/** Knows the access tokens and API keys of this service. */
@Injectable()
export class CredentialAuthenticator extends Authenticator {
  private readonly tokens: CredentialCache;
  private readonly apiKeys: CredentialCache;

  constructor(store: CredentialStore, lastUses: LastUses) {
    super();
    // The caches ask for what was just used and no longer fresh: often enough to know when that was.
    const noting = (found: FoundCredentials): FoundCredentials => {
      for (const { principal } of found.values()) lastUses.note(principal);
      return found;
    };
    this.tokens = new CredentialCache((digests) => store.findTokens(digests).then(noting));
    this.apiKeys = new CredentialCache((digests) => store.findApiKeys(digests).then(noting));
  }

  override authenticateBearer(token: string): Promise<Principal | undefined> {
    return this.tokens.principalOf(digestOf(token));
  }

  override authenticateApiKey(key: string): Promise<Principal | undefined> {
    return this.apiKeys.principalOf(digestOf(key));
  }

  /** To be called once a token is revoked for good: from then on it is refused here. */
  forgetToken(digest: string): void {
    this.tokens.forget(digest);
  }

  /** To be called once an API key is deleted for good: from then on it is refused here. */
  forgetApiKey(digest: string): void {
    this.apiKeys.forget(digest);
  }

  /**
   * To be called once something is changed for all credentials of a user or a client, such as when they
   * are revoked, the user is locked or closed, or the client loses a scope. `holder` is a principal's key.
   */
  forgetAllOf(holder: string): void {
    this.tokens.forgetAllOf(holder);
    this.apiKeys.forgetAllOf(holder);
  }
}
