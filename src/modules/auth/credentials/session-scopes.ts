import { holdsRole, type OperatorStanding } from '../../users/operator-standing.js';
import type { LogInMethod } from '../../../kit/security/principal.js';
import type { ScopeCatalogue } from '../../../kit/security/scope.js';

/**
 * The scopes of a session: all but the roles of operators, of which users get those that they hold. After a log-in by query it has none that move money,
 * reveal private data or operate the service: they are too powerful for a password sent in a URL.
 */
export function sessionScopesOf(
  catalogue: ScopeCatalogue,
  user: OperatorStanding,
  method: LogInMethod,
): readonly string[] {
  return method === 'query'
    ? catalogue.all.filter((scope) => catalogue.find(scope)?.isForQueryLogIn)
    : catalogue.heldBy((role) => holdsRole(user, role));
}
