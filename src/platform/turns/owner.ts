/** Who waits for what others wait for too. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { networksOf } from '../http/network-of.js';
import type { Principal } from '../security/principal.js';

/**
 * A path from the widest group to the owner itself, whose name is unique. Groups take turns, and within a group its
 * groups or owners do: who makes many owners in one group gets no more turns than the group has.
 */
export type Owner = readonly [string, ...string[]];

/** Who sent what is being handled: Express' request, or the like of a socket. */
export interface Caller {
  /** Absent until the credential was checked, and where there is none. */
  readonly user?: Principal | undefined;
  readonly ip?: string | undefined;
}

/** The service's own work, such as jobs. */
const SERVICE: Owner = ['service'];

const callers = new AsyncLocalStorage<Caller>();
/** Principals are cached, and so are their owners. */
const owners = new WeakMap<Principal, Owner>();

/** Runs what handles a request or a message, so that it can ask for `presentCaller` however deep. */
export function handleFor<Result>(caller: Caller, handle: () => Result): Result {
  return callers.run(caller, handle);
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
export function ownerOf({ user, ip }: Caller): Owner {
  return user === undefined ? strangerAt(ip ?? '') : ownerOfPrincipal(user);
}

/**
 * The person at the top of who made whom: users, keys and accounts are free, so all that one person makes is one owner.
 */
export function ownerOfPrincipal(principal: Principal): Owner {
  let owner = owners.get(principal);
  if (owner === undefined) owners.set(principal, (owner = [registrationRootOf(principal)]));
  return owner;
}

export function registrationRootOf({ registrationRoot, accountOwner }: Principal): string {
  return registrationRoot ?? accountOwner;
}

/** All strangers together have the turns of one owner. Networks share these, the wide ones before those in them. */
function strangerAt(address: string): Owner {
  return ['strangers', ...networksOf(address)];
}
