import { storableText } from '../../../kit/storable-text.js';
import type { IdentityProfile } from './identity-provider.js';

/** What a provider says of a user. */
export type Claims = Readonly<Record<string, unknown>>;

const GROUPS_MAX = 200;
const GROUP_LENGTH_MAX = 200;

/** A claim of that name, or else the member inside of claims that the dots lead to. */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Claims)[name];
  }
  return value;
}

/** Each group once; one alone may be text. What is no name of a group is left out, and so is what is beyond the number. */
export function claimedGroups(claims: Claims, path: string): readonly string[] {
  const named = [claimAt(claims, path)].flat();
  const groups = named.filter(
    (group): group is string =>
      typeof group === 'string' &&
      group !== '' &&
      group.length <= GROUP_LENGTH_MAX &&
      storableText(group) === group,
  );
  return [...new Set(groups)].toSorted().slice(0, GROUPS_MAX);
}

/** By the standard claims (OpenID Connect Core, 5.1). */
export function claimedProfile(claims: Claims): IdentityProfile {
  const text = (name: string): string | undefined => {
    const value = claims[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  return {
    username: text('preferred_username'),
    firstName: text('given_name'),
    lastName: text('family_name'),
    email: text('email'),
  };
}
