import { Injectable } from '@nestjs/common';
import { CredentialStandings } from '../../../kit/security/credential-standings.js';
import { CredentialAuthenticator } from './credential-authenticator.js';

/** The scopes of credentials, from the cache of their standings. */
@Injectable()
export class CredentialScopes extends CredentialStandings {
  constructor(private readonly authenticator: CredentialAuthenticator) {
    super();
  }

  override scopesOf(credentialKey: string): Promise<ReadonlySet<string> | undefined> {
    return this.authenticator.scopesOf(credentialKey);
  }
}
