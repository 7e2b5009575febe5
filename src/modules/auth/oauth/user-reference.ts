import type { OAuthUser, OAuthUserIdentifier } from '@jmondi/oauth2-server';

/** What the library is told of a user: it passes on nothing but one identifier. */
export interface UserReference {
  readonly userId: string;
  /** The log-in that the grant shall belong to. */
  readonly sessionId: string | null;
}

export function identifierOf({ userId, sessionId }: UserReference): OAuthUserIdentifier {
  return sessionId === null ? userId : `${userId} ${sessionId}`;
}

export function userReferenceOf({ id }: OAuthUser): UserReference {
  const [userId = '', sessionId = null] = String(id).split(' ');
  return { userId, sessionId };
}
