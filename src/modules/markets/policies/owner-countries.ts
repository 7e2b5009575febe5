import type { Awaitable } from '../../../kit/awaitable.js';

/** Where the owners of accounts live. */
export abstract class OwnerCountries {
  /** From memory, once it was read for the owner; a change counts within a second. See `OrderOwner.country`. */
  abstract of(owner: string): Awaitable<string | null>;
}

/** For a service that knows nobody. */
export class NoCountries extends OwnerCountries {
  override of(): null {
    return null;
  }
}
