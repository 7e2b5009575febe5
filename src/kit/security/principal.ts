/** How a session was started. */
export interface LogIn {
  /** `query` for a password in the address, where others may have seen it. */
  readonly method: LogInMethod;
  readonly at: Date;
}

export type LogInMethod = 'basic' | 'query' | 'passkey';

/** What a user proves to be there by; `identity` is an outside one, `identity_factor` one that took a second factor. */
export type ProvedBy = 'password' | 'totp' | 'recovery_code' | 'passkey' | 'identity' | 'identity_factor';

/** Whether it is more than what users have who have no second factor. */
export function isSecondFactor(by: ProvedBy): boolean {
  return by !== 'password' && by !== 'identity';
}

/** When somebody behind a session last proved to be its user, and by what. */
export interface Proof {
  readonly by: ProvedBy;
  readonly at: Date;
}

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
  /** Who made the users of the account owner, at the top of the chain, such as `user:1`; absent for who was made by none. */
  readonly registrationRoot?: string;
  /** The account used where a request names none; null for principals without money. */
  readonly accountId: number | null;
  /** Set for keys that reach `accountId` and no other account of their owner's, nor what belongs to the owner as a whole. */
  readonly isBoundToAccount?: true;
  readonly scopes: ReadonlySet<string>;
  /** The client that a user granted access to; absent where users act themselves. See `isInPerson` for what it may not do. */
  readonly delegatedTo?: string;
  /** The log-in of the user in person that the credential came from. */
  readonly sessionId?: string;
  /** As CIDR: from elsewhere the credential is refused. Absent for what may come from anywhere. */
  readonly allowedNetworks?: readonly string[];
  /** The markets that it may trade on; absent for what may trade on all. */
  readonly allowedMarkets?: readonly string[];
  /** It came by the former half of a key that was rotated. */
  readonly isByFormerKey?: true;
  /** Only for sessions; absent for sessions older than this field. */
  readonly login?: LogIn;
  /** Only for users with a session; absent after a log-in whose password others may have seen. */
  readonly proof?: Proof;
  /** Whether the user's password alone does not log in; only for users. */
  readonly hasSecondFactor?: boolean;
}

/** The client of the service's own console, which users have no need to trust more than the log-in page. */
export const CONSOLE_CLIENT_ID = 'console';

/**
 * Whether users themselves call, by a session or at the console, and not a client or a key that acts for them. Only
 * they manage the user and the user's credentials.
 */
export function isInPerson({ kind, delegatedTo }: Principal): boolean {
  return kind === 'user' && (delegatedTo === undefined || delegatedTo === CONSOLE_CLIENT_ID);
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
