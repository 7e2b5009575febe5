import { SCOPES, type Scope } from '../../../platform/security/scopes.js';
import type { PresentedPassword } from './presented-password.js';

/** What moves money away, or information out, or operates: too much for a password that came in an address. */
const NEVER_BY_QUERY: ReadonlySet<Scope> = new Set([
  'admin',
  'wallets:write',
  'wallets:sign',
  'banking:write',
  'news:webhooks',
]);

/** What a session may do: everything but `admin`, which operators have, and less by a log-in in the query. */
export function sessionScopesOf(
  user: { readonly isOperator: boolean },
  sentIn: PresentedPassword['sentIn'],
): readonly Scope[] {
  return (Object.keys(SCOPES) as Scope[]).filter((scope) =>
    sentIn === 'query' ? !NEVER_BY_QUERY.has(scope) : scope !== 'admin' || user.isOperator,
  );
}
