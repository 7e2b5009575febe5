import type { Principal } from './principal.js';

/**
 * The key of the credential that a principal calls by, for what outlives the request, such as a webhook. That of
 * a user, a client or an API key is the principal's own; what a user lets a client do is a credential of its
 * own, such as `grant:cli_00000000001:user:7`, which ends with the last grant of that user to that client.
 */
export function credentialKeyOf({ key, delegatedTo }: Principal): string {
  return delegatedTo === undefined ? key : `grant:${delegatedTo}:${key}`;
}

/** Such a key in its parts; `id` is public, and null for a user. */
export function partsOfCredentialKey(key: string): {
  readonly kind: 'user' | 'client' | 'api_key' | 'grant';
  readonly id: string | null;
} {
  const grant = /^grant:(.+):user:\d+$/.exec(key);
  if (grant !== null) return { kind: 'grant', id: grant[1]! };
  const [kind, id] = /^(client|api_key):(.+)$/s.exec(key)?.slice(1) ?? [];
  return kind === undefined ? { kind: 'user', id: null } : { kind: kind as 'client' | 'api_key', id: id! };
}

/** Tells what became of credentials by their keys. Bound by the auth module. */
export abstract class CredentialStandings {
  /**
   * What a credential may do now; undefined once it is gone: deleted, expired, revoked, or its user or owner is
   * locked or closed. Known for a second at most, so it may be asked often. Rejects where the store cannot be
   * reached.
   */
  abstract scopesOf(credentialKey: string): Promise<ReadonlySet<string> | undefined>;
}
