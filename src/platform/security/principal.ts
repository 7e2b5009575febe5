/** How a session was started. */
export interface LogIn {
  /** `query` for a password in the address, where others may have seen it. */
  readonly method: LogInMethod;
  readonly at: Date;
}

export type LogInMethod = 'basic' | 'query';

/** The caller, whatever scheme authenticated it. */
export interface Principal {
  readonly kind: 'user' | 'client' | 'api_key';
  /**
   * Stable and unique among all principals, such as `client:demo` or `user:7`. It owns rooms, webhooks and
   * Idempotency-Keys.
   */
  readonly key: string;
  /** The public id within its kind: a username, a client id, a key's id. */
  readonly id: string;
  /** The owner of the accounts that the principal acts on: its own key, or its owner's. */
  readonly accountOwner: string;
  /** The account used where a request names none; null for principals without money. */
  readonly accountId: number | null;
  readonly scopes: ReadonlySet<string>;
  /** The client that a user granted access to; absent where users act themselves. It may do what the scopes say, but not manage the user or the user's credentials. */
  readonly delegatedTo?: string;
  /** Only for sessions; absent for sessions older than this field. */
  readonly login?: LogIn;
}

/**
 * The person behind a principal, as far as the service knows. Where two persons must agree, a user, the user's clients
 * and the user's keys count as one.
 */
export function personOf(principal: Principal): string {
  return principal.accountOwner;
}

/** The sender of a command, as the journal records it: the person, and the credential where that differs. */
export function actorOf({ key, accountOwner }: Principal): string {
  return key === accountOwner ? key : `${accountOwner} ${key}`;
}
