import { isInPerson, type Principal } from './principal.js';

/**
 * The key of the credential that a principal calls by, for things that outlive the request, such as a webhook. For a
 * user in person, a client or an API key it is the principal's own key. A user's grant to a client is a credential of its own,
 * such as `grant:cli_00000000001:user:7`, which ends with the last grant of that user to that client.
 */
export function credentialKeyOf(principal: Principal): string {
  const { key, delegatedTo } = principal;
  return delegatedTo === undefined || isInPerson(principal) ? key : `grant:${delegatedTo}:${key}`;
}

/** Splits such a key into its parts; `id` is public, and null for a user. */
export function partsOfCredentialKey(key: string): {
  readonly kind: 'user' | 'client' | 'api_key' | 'grant';
  readonly id: string | null;
} {
  const grant = /^grant:(.+):user:\d+$/.exec(key);
  if (grant !== null) return { kind: 'grant', id: grant[1]! };
  const [kind, id] = /^(client|api_key):(.+)$/s.exec(key)?.slice(1) ?? [];
  return kind === undefined ? { kind: 'user', id: null } : { kind: kind as 'client' | 'api_key', id: id! };
}

/** The present state of credentials, by their keys. */
export abstract class CredentialStandings {
  /**
   * The present scopes of a credential; undefined once it is deleted, expired or revoked, or its user or owner is
   * locked or closed. Cached for a second at most, so it may be called often. Rejects where the store cannot be
   * reached.
   */
  abstract scopesOf(credentialKey: string): Promise<ReadonlySet<string> | undefined>;
}
