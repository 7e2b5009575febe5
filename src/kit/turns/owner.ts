/** Who waits for what others wait for too. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { networksOf } from '../network-of.js';
import { withinTrace } from '../tracing/tracing.js';

/**
 * A path from the widest group to the owner itself, whose name is unique. Groups take turns, and within a group its
 * groups or owners do: who makes many owners in one group gets no more turns than the group has.
 */
export type Owner = readonly [string, ...string[]];

/** What tells the owner of a principal; see `Principal`. */
export interface Owned {
  readonly accountOwner: string;
  readonly registrationRoot?: string;
}

/** What is being handled for an owner. */
export interface Flight {
  /** Resolves when it may begin; undefined where it may at once. */
  readonly turn: Promise<void> | undefined;
  /** To be called when it is answered; again does nothing. */
  end(): void;
}

/** Who sent what is being handled: Express' request, or the like of a socket's message. */
export interface Caller {
  /** Absent until the credential was checked, and where there is none. */
  readonly user?: Owned | undefined;
  readonly ip?: string | undefined;
  /** Where another process has found it out. */
  readonly owner?: Owner | undefined;
  /** Whether it is on the path of orders, which has connections of its own. */
  isOrder?: boolean;
  /** Ends when it is answered. */
  flight?: Flight;
}

declare global {
  // Express' types can only be added to where they are declared, in this namespace.
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    interface Request {
      isOrder?: boolean;
      flight?: Flight;
    }
  }
}

/** The service's own work, such as jobs, and what is done once for all who wait for it. */
export const SERVICE: Owner = ['service'];

const callers = new AsyncLocalStorage<Caller | undefined>();
/** Principals are cached, and so are their owners. */
const owners = new WeakMap<Owned, Owner>();

/** Runs what handles a request or a message, so that it can ask for `presentCaller` however deep. */
export function handleFor<Result>(caller: Caller, handle: () => Result): Result {
  return callers.run(caller, handle);
}

/** Runs what is shared by several callers, so that it waits for the turn of none of them. */
export function handleForAll<Result>(handle: () => Result): Result {
  return callers.run(undefined, () => withinTrace(undefined, handle));
}

/** Who sent what is being handled; undefined in background work. */
export function presentCaller(): Caller | undefined {
  return callers.getStore();
}

/** The owner of what is being handled. */
export function presentOwner(): Owner {
  const caller = callers.getStore();
  return caller === undefined ? SERVICE : ownerOf(caller);
}

/** The owner of a principal, and its network where there is none. */
export function ownerOf({ user, ip, owner }: Caller): Owner {
  return owner ?? (user === undefined ? strangerAt(ip ?? '') : ownerOfPrincipal(user));
}

/** The unique name at the end of its path. */
export function nameOf(owner: Owner): string {
  return owner.at(-1)!;
}

/**
 * The person at the top of who made whom: users, keys and accounts are free, so all that one person makes is one owner.
 */
export function ownerOfPrincipal(principal: Owned): Owner {
  let owner = owners.get(principal);
  if (owner === undefined) owners.set(principal, (owner = [registrationRootOf(principal)]));
  return owner;
}

/** The person at the top of who made whom, for what users, keys and clients of one person share. */
export function registrationRootOf({ registrationRoot, accountOwner }: Owned): string {
  return registrationRoot ?? accountOwner;
}

/** All strangers together have the turns of one owner. Networks share these, the wide ones before those in them. */
function strangerAt(address: string): Owner {
  return ['strangers', ...networksOf(address)];
}
