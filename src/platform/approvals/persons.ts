import type { EntityManager } from 'typeorm';

/** Why two persons do not count as two. */
export type Relation =
  /** One made the other, or made who made the other, and so on. */
  | 'created'
  /** One has set the other's password lately. */
  | 'reset'
  /** Who stands behind one of them has set the other's password lately, by making them or by a reset. */
  | 'common';

/**
 * What is known of persons (see `personOf`): a user such as `user:7`, or one of the service's own clients such
 * as `client:admin`. Bound by the module of the users.
 */
export abstract class Persons {
  /** Why the two do not count as two; `undefined` where they do. The same either way round. */
  abstract relationOf(manager: EntityManager, one: string, other: string): Promise<Relation | undefined>;

  /** Until when somebody else may still know the person's password, as they have set it; `undefined` where nobody has. */
  abstract passwordKnownUntil(manager: EntityManager, person: string): Promise<Date | undefined>;

  /** How people call the person, for summaries. */
  abstract nameOf(manager: EntityManager, person: string): Promise<string>;
}
