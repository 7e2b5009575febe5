import type { components } from '@tradepost/client';
import { session } from '../session.js';

export type Scope = components['schemas']['ApiKeyDto']['scopes'][number];

/** What keys and clients of one's own may be allowed: all that one may do, but not to operate the service. */
export function grantableScopes(): readonly Scope[] {
  const own = session.value.user?.scope.split(' ') ?? [];
  return own.filter((scope): scope is Scope => scope !== 'admin').sort();
}
