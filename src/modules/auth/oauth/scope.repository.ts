import {
  OAuthException,
  type GrantIdentifier,
  type OAuthClient,
  type OAuthScope,
  type OAuthScopeRepository,
} from '@jmondi/oauth2-server';
import { Injectable } from '@nestjs/common';
import { ScopeCatalogue } from '../../../kit/security/scope.js';

/** Provides the library with the scopes, and each client's right to them. */
@Injectable()
export class ScopeRepository implements OAuthScopeRepository {
  constructor(private readonly scopes: ScopeCatalogue) {}

  getAllByIdentifiers(names: string[]): Promise<OAuthScope[]> {
    const known = new Set(names.filter((name) => this.scopes.has(name)));
    return Promise.resolve([...known].map((name) => ({ name })));
  }

  /**
   * No requested scope means all that the client may have by this grant. Throws `invalid_scope` for a scope that it may
   * not have, or if none is left.
   */
  finalize(asked: OAuthScope[], grant: GrantIdentifier, client: OAuthClient): Promise<OAuthScope[]> {
    const allowed = client.scopes.filter(
      ({ name }) => grant !== 'implicit' || this.scopes.implicit.includes(name),
    );
    if (asked.length === 0 && allowed.length > 0) return Promise.resolve(allowed);
    const names = new Set(allowed.map((scope) => scope.name));
    if (allowed.length === 0 || asked.some((scope) => !names.has(scope.name))) {
      return Promise.reject(OAuthException.invalidScope());
    }
    return Promise.resolve(asked);
  }
}
