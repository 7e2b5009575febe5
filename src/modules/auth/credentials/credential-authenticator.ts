import { Injectable } from '@nestjs/common';
import { Authenticator } from '../../../platform/security/authenticator.js';
import type { Principal } from '../../../platform/security/principal.js';
import { digestOf } from '../secrets.js';
import { CredentialCache } from './credential-cache.js';
import { CredentialStore } from './credential-store.js';

/** Knows the access tokens and API keys of this service. */
@Injectable()
export class CredentialAuthenticator extends Authenticator {
  private readonly tokens: CredentialCache;
  private readonly apiKeys: CredentialCache;

  constructor(store: CredentialStore) {
    super();
    this.tokens = new CredentialCache((digests) => store.findTokens(digests));
    this.apiKeys = new CredentialCache((digests) => store.findApiKeys(digests));
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
}
