import {
  OAuthException,
  type GrantIdentifier,
  type OAuthClient,
  type OAuthScope,
  type OAuthScopeRepository,
} from '@jmondi/oauth2-server';
import { Injectable } from '@nestjs/common';
import { SCOPES } from '../../../platform/security/scopes.js';

/** Shows the library which scopes there are, and who may have which. */
@Injectable()
export class ScopeRepository implements OAuthScopeRepository {
  getAllByIdentifiers(names: string[]): Promise<OAuthScope[]> {
    const known = new Set(names.filter((name) => Object.hasOwn(SCOPES, name)));
    return Promise.resolve([...known].map((name) => ({ name })));
  }

  /** None asked for means all that the client has; throws `invalid_scope` for one that it has not. */
  finalize(asked: OAuthScope[], _grant: GrantIdentifier, client: OAuthClient): Promise<OAuthScope[]> {
    if (asked.length === 0) return Promise.resolve(client.scopes);
    const allowed = new Set(client.scopes.map((scope) => scope.name));
    const refused = asked.filter((scope) => !allowed.has(scope.name));
    if (refused.length > 0) return Promise.reject(OAuthException.invalidScope());
    return Promise.resolve(asked);
  }
}
