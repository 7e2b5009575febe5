/** How a session came to be. */
export interface LogIn {
  /** `query` for a password in the address, where others may have seen it. */
  readonly method: LogInMethod;
  readonly at: Date;
}

export type LogInMethod = 'basic' | 'query';

/** Who calls, whatever scheme proved it. */
export interface Principal {
  readonly kind: 'user' | 'client' | 'api_key';
  /** Stable and unique among all principals, such as `client:demo` or `user:7`: what rooms, webhooks and Idempotency-Keys belong to. */
  readonly key: string;
  /** The public id within its kind: a username, a client id, a key's id. */
  readonly id: string;
  /** Whose accounts the principal acts on: its own key, or its owner's. */
  readonly accountOwner: string;
  /** The account used where a request names none; null for principals without money. */
  readonly accountId: number | null;
  readonly scopes: ReadonlySet<string>;
  /** The client that a user granted access to; absent where users act themselves. It may do what the scopes say, but not manage the user or the user's credentials. */
  readonly delegatedTo?: string;
  /** Of sessions alone; absent for those of before it was kept. */
  readonly login?: LogIn;
}

/**
 * The person behind a principal, as far as the service can tell: where two persons must agree, a user, the
 * user's clients and the user's keys are one.
 */
export function personOf(principal: Principal): string {
  return principal.accountOwner;
}

/** Who sends a command, as the journal keeps it: the person, and the credential where that is another. */
export function actorOf({ key, accountOwner }: Principal): string {
  return key === accountOwner ? key : `${accountOwner} ${key}`;
}
