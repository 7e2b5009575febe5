import type { LogInMethod } from '../../../kit/security/principal.js';
import type { ScopeCatalogue } from '../../../kit/security/plugin-scope.js';
import { SCOPES, type Scope } from '../../../kit/security/scopes.js';

/** Scopes that move money, reveal private data, or operate the service: too powerful for a password sent in a URL. */
const NEVER_BY_QUERY: ReadonlySet<Scope> = new Set([
  'admin',
  'wallets:write',
  'wallets:sign',
  'banking:write',
  'news:webhooks',
]);

/** The scopes of a session: all but `admin`, which operators get; after a log-in by query fewer, and none of plugins. */
export function sessionScopesOf(
  catalogue: ScopeCatalogue,
  user: { readonly isOperator: boolean },
  method: LogInMethod,
): readonly Scope[] {
  return catalogue.all.filter((scope) =>
    method === 'query'
      ? Object.hasOwn(SCOPES, scope) && !NEVER_BY_QUERY.has(scope)
      : scope !== 'admin' || user.isOperator,
  );
}
