import type { EntityManager } from 'typeorm';

/** Why two persons do not count as independent. */
export type Relation =
  /** One created the other, directly or through others. */
  | 'created'
  /** One has recently set the other's password. */
  | 'reset'
  /** Somebody behind one of them has recently set the other's password, by creating them or by a reset. */
  | 'common';

/** Who else may know a password: only readers of the person's mailbox, or others who have set it too. */
export type PasswordKnownBy = 'mailbox' | 'anybody';

/**
 * Relations between persons (see `personOf`): a user such as `user:7`, or one of the service's own clients such as
 * `client:admin`. The users' module binds it.
 */
export abstract class Persons {
  /** Why the two are not independent; `undefined` if they are. Symmetric. */
  abstract relationOf(manager: EntityManager, one: string, other: string): Promise<Relation | undefined>;

  /**
   * Until when somebody else may know the person's password: whoever reads the mailbox from which it was reset, or, with
   * `anybody`, whoever else set it. `undefined` if nobody may.
   */
  abstract passwordKnownUntil(
    manager: EntityManager,
    person: string,
    knownBy: PasswordKnownBy,
  ): Promise<Date | undefined>;

  /** The display name of a person, for summaries. */
  abstract nameOf(manager: EntityManager, person: string): Promise<string>;
}
