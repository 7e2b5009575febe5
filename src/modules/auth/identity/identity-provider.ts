import type { Awaitable } from '../../../kit/awaitable.js';

/** A log-in, as the service begins it. All but `redirectUri` is made for it anew. */
export interface IdentityLogIn {
  /** Comes back with the browser. */
  readonly state: string;
  /** To be part of what the provider signs. */
  readonly nonce: string;
  /** Of PKCE (RFC 7636); no browser and no log sees it. */
  readonly codeVerifier: string;
  /** Where the provider sends the browser, with `state` in the query. */
  readonly redirectUri: string;
  /** Whether the user has to prove to be there since `beganAt`, whatever session the provider has. */
  readonly isFresh: boolean;
  readonly beganAt: Date;
}

/** Who somebody is, as a provider has proved it. */
export interface ProvedIdentity {
  /** Together with `subject` one person's for good. */
  readonly issuer: string;
  readonly subject: string;
  /** All groups of the user, and all roles of operators that follow from them: what is not here is taken away. */
  readonly groups: readonly string[];
  readonly roles: readonly string[];
  /** Whether it took a second factor, as the service asks for one. */
  readonly hasSecondFactor: boolean;
  /** When the user was there; null where that is not known. */
  readonly authenticatedAt: Date | null;
  /** For a user who is made. `username` is a wish; nothing of this finds a user. */
  readonly profile: IdentityProfile;
  /** The provider's session, for `EndedIdentity`. */
  readonly sessionId: string | null;
  /** What `renew` takes; stored encrypted. Null where the session must end when its access token does. */
  readonly renewal: string | null;
}

export interface IdentityProfile {
  readonly username?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly email?: string | undefined;
}

/** Whom a provider has logged out: one session of its own, or all of somebody; at least one of the two. */
export interface EndedIdentity {
  readonly issuer: string;
  readonly subject: string | null;
  readonly sessionId: string | null;
  /** Of the message that says so: the same one is taken once. */
  readonly messageId: string;
}

/** The provider, or what came in its name, did not prove who the user is. The message is for people, and has no secrets. */
export class IdentityRefused extends Error {
  override readonly name = 'IdentityRefused';
}

/**
 * Extension point: logs users in by an identity that somebody else keeps. Of it follow the user, the groups and the roles of
 * operators; the service keeps sessions, tokens and second factors of its own. Methods reject with an `IdentityRefused`
 * where there is no such identity; any other error means that the provider does not work just now.
 */
export abstract class IdentityProvider {
  /** Lower-case letters and digits: part of `redirectUri`, and of what is stored. */
  abstract readonly name: string;
  /** As the log-in page calls it. */
  abstract readonly label: string;

  /** Where the browser is sent. */
  abstract begin(logIn: IdentityLogIn): Awaitable<string>;

  /** `answer` is the query with which the browser came back to `redirectUri`; its `state` is the log-in's. */
  abstract finish(logIn: IdentityLogIn, answer: URLSearchParams): Promise<ProvedIdentity>;

  /** Asks again, before each new token of a session. Rejects with an `IdentityRefused` where the provider has ended it. */
  renew?(renewal: string): Promise<ProvedIdentity>;

  /** Reads a logout token (OpenID Connect Back-Channel Logout). */
  readLogout?(logoutToken: string): Promise<EndedIdentity>;
}
