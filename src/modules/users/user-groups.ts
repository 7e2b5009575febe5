import type { Awaitable } from '../../kit/awaitable.js';

/** The groups that users are in, such as those that an outside identity names. */
export abstract class UserGroups {
  /** From memory; `person` is a principal's key such as `user:7`. */
  abstract of(person: string): Awaitable<readonly string[]>;
}

const NONE: readonly string[] = [];

/** For a service whose users are in no groups. */
export class NoGroups extends UserGroups {
  override of(): readonly string[] {
    return NONE;
  }
}
