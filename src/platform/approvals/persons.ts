import type { EntityManager } from 'typeorm';

/** Why two persons do not count as independent. */
export type Relation =
  /** One created the other, directly or through others. */
  | 'created'
  /** One has recently set the other's password. */
  | 'reset'
  /** Somebody behind one of them has recently set the other's password, by creating them or by a reset. */
  | 'common';

/**
 * Relations between persons (see `personOf`): a user such as `user:7`, or one of the service's own clients such as
 * `client:admin`. The users' module binds it.
 */
export abstract class Persons {
  /** Why the two are not independent; `undefined` if they are. Symmetric. */
  abstract relationOf(manager: EntityManager, one: string, other: string): Promise<Relation | undefined>;

  /** Until when somebody else may still know the person's password, because they set it; `undefined` if nobody may. */
  abstract passwordKnownUntil(manager: EntityManager, person: string): Promise<Date | undefined>;

  /** The display name of a person, for summaries. */
  abstract nameOf(manager: EntityManager, person: string): Promise<string>;
}
