import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Awaitable } from '../../kit/awaitable.js';
import { PG_POOL } from '../../kit/database/pg-pool.js';
import { growingCache } from '../../kit/growing-cache.js';
import { principalKeyOf, userIdOf } from './user.entity.js';

const REMEMBERED_MAX = 20_000;

/**
 * The first of those who made one another down to a user: whoever makes users may be all of them. Whom an operator made is
 * the first of a chain, and so is whatever is no user.
 */
@Injectable()
export class RegistrationRoots {
  private readonly roots = growingCache<string, string>(REMEMBERED_MAX);

  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /** It never changes. */
  of(person: string): Awaitable<string> {
    const userId = userIdOf(person);
    return userId === undefined ? person : (this.roots.get(person) ?? this.read(person, userId));
  }

  private async read(person: string, userId: string): Promise<string> {
    const { rows } = await this.pool.query<{ root_id: string }>(
      'SELECT coalesce(creation_root_id, user_id) AS root_id FROM users WHERE user_id = $1',
      [userId],
    );
    const root = rows[0] === undefined ? person : principalKeyOf({ userId: rows[0].root_id });
    this.roots.set(person, root);
    return root;
  }

  /** What a command says that opens an account of somebody: the root, where that is another one. */
  async above(owner: string): Promise<{ readonly root?: string }> {
    const root = await this.of(owner);
    return root === owner ? {} : { root };
  }

  /** The root itself, and all users from it. */
  async usersFrom(root: string): Promise<string[]> {
    const { rows } = await this.pool.query<{ user_id: string }>(
      'SELECT user_id FROM users WHERE creation_root_id = $1',
      [userIdOf(root)],
    );
    return [root, ...rows.map(({ user_id: userId }) => principalKeyOf({ userId }))];
  }
}
