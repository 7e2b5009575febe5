import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type PasswordKnownBy, Persons, type Relation } from '../../kit/approvals/persons.js';
import { UserEntity, userIdOf } from './user.entity.js';

/** For how long who has set a password may still know it. */
const PASSWORD_KNOWN = '30 days';

/** For how long whoever reads the mailbox may know a password that was reset by mail: the user hears of it there. */
const RESET_BY_MAIL_KNOWN = '24 hours';

/** A chain that is longer was made to hide who made whom, and counts as a relation. */
const CHAIN_LENGTH_MAX = 64;

/** Somebody who can be, or could be, another person: by having made them, or by having set their password. */
interface Hand {
  readonly person: string;
  readonly by: string;
  readonly via: 'created' | 'reset';
  /** Whether the password was set lately, at creation or later. */
  readonly is_recent: boolean;
}

/** All who stand behind one person. */
interface Background {
  /** By any chain; how its last link came about. */
  readonly all: ReadonlyMap<string, 'created' | 'reset'>;
  /** By a chain of passwords that were all set lately; with the person itself. */
  readonly recent: ReadonlySet<string>;
  readonly isTooLong: boolean;
}

/** Who created whom, and who set whose password, by the tables of users. */
@Injectable()
export class UserPersons extends Persons {
  async relationOf(manager: EntityManager, one: string, other: string): Promise<Relation | undefined> {
    const ofOne = await backgroundOf(manager, one);
    const ofOther = await backgroundOf(manager, other);
    const direct = ofOne.all.get(other) ?? ofOther.all.get(one);
    if (direct !== undefined) return direct;
    if (ofOne.isTooLong || ofOther.isTooLong) return 'created';
    return isBehind(ofOne, ofOther) || isBehind(ofOther, ofOne) ? 'common' : undefined;
  }

  async passwordKnownUntil(
    manager: EntityManager,
    person: string,
    knownBy: PasswordKnownBy,
  ): Promise<Date | undefined> {
    const userId = userIdOf(person);
    if (userId === undefined) return undefined;
    const [known] = await manager.query<[{ until: Date | null }]>(
      `SELECT max(until) AS until
         FROM (SELECT reset_at + CASE WHEN reset_by = $2 THEN interval '${RESET_BY_MAIL_KNOWN}'
                                      ELSE interval '${PASSWORD_KNOWN}' END AS until
                 FROM password_resets
                WHERE user_id = $1::bigint AND reset_at > now() - interval '${PASSWORD_KNOWN}'
                  AND (reset_by = $2 OR $3 = 'anybody')) resets
        WHERE until > now()`,
      [userId, person, knownBy],
    );
    return known.until ?? undefined;
  }

  async nameOf(manager: EntityManager, person: string): Promise<string> {
    const userId = userIdOf(person);
    const user = userId === undefined ? null : await manager.findOneBy(UserEntity, { userId });
    return user?.username ?? person;
  }
}

/** Whether somebody who may know the password of one stands behind the other. */
function isBehind(one: Background, other: Background): boolean {
  return [...one.recent].some((person) => other.all.has(person));
}

/** Walks from a person to those behind it, one generation after the other. */
async function backgroundOf(manager: EntityManager, person: string): Promise<Background> {
  const all = new Map<string, 'created' | 'reset'>();
  const recent = new Set([person]);
  const seen = new Set([person]);
  let generation = [person];
  for (let length = 0; generation.length > 0; length++) {
    if (length === CHAIN_LENGTH_MAX) return { all, recent, isTooLong: true };
    const hands = await handsOn(manager, generation);
    const next = new Set<string>();
    for (const hand of hands) {
      if (!all.has(hand.by)) all.set(hand.by, hand.via);
      // Somebody known already is walked from again where a recent chain reaches them only now.
      const isRecent = hand.is_recent && recent.has(hand.person) && !recent.has(hand.by);
      if (isRecent) recent.add(hand.by);
      if (isRecent || !seen.has(hand.by)) next.add(hand.by);
      seen.add(hand.by);
    }
    generation = [...next];
  }
  all.delete(person);
  return { all, recent, isTooLong: false };
}

async function handsOn(manager: EntityManager, persons: readonly string[]): Promise<Hand[]> {
  const ids = persons.map(userIdOf).filter((id) => id !== undefined);
  if (ids.length === 0) return [];
  return manager.query<Hand[]>(
    `SELECT 'user:' || user_id AS person, created_by AS by, 'created' AS via,
            created_at > now() - interval '${PASSWORD_KNOWN}' AS is_recent
       FROM users WHERE user_id = ANY ($1::bigint[]) AND created_by IS NOT NULL
     UNION ALL
     SELECT DISTINCT 'user:' || user_id, reset_by, 'reset', true
       FROM password_resets
      WHERE user_id = ANY ($1::bigint[]) AND reset_at > now() - interval '${PASSWORD_KNOWN}'
        AND reset_by <> 'user:' || user_id`,
    [ids],
  );
}
