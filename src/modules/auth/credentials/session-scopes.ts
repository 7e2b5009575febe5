import type { LogInMethod } from '../../../kit/security/principal.js';
import { ADMIN, type ScopeCatalogue } from '../../../kit/security/scope.js';

/**
 * The scopes of a session: all but `admin`, which operators get. After a log-in by query it has none that move money,
 * reveal private data or operate the service: they are too powerful for a password sent in a URL.
 */
export function sessionScopesOf(
  catalogue: ScopeCatalogue,
  user: { readonly isOperator: boolean },
  method: LogInMethod,
): readonly string[] {
  return catalogue.all.filter((scope) =>
    method === 'query' ? catalogue.find(scope)?.isForQueryLogIn : scope !== ADMIN.name || user.isOperator,
  );
}
