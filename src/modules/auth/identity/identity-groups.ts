import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Awaitable } from '../../../kit/awaitable.js';
import { type ChangeFollower, Changes } from '../../../kit/changes/changes.js';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { growingCache } from '../../../kit/growing-cache.js';
import { UserGroups } from '../../users/user-groups.js';
import { userIdOf } from '../../users/user.entity.js';
import { IdentityProviders } from './identity-providers.js';

const REMEMBERED_MAX = 100_000;
const NONE: readonly string[] = [];

/** The topic of changes: the keys of users whose groups are others. */
export const GROUP_CHANGES = 'identity_groups';

/** The groups that identities name, read once for each user and process, and again within a second after a change. */
@Injectable()
export class IdentityGroups extends UserGroups implements ChangeFollower {
  /** What is still being read, too: a change meanwhile makes the next question read again. */
  private readonly known = growingCache<string, Promise<readonly string[]>>(REMEMBERED_MAX);
  private following: Promise<void> | undefined;

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    private readonly changes: Changes,
    private readonly providers: IdentityProviders,
  ) {
    super();
  }

  override of(person: string): Awaitable<readonly string[]> {
    const userId = userIdOf(person);
    // Nobody vouches for what a provider said that there is no more.
    if (userId === undefined || this.providers.all.length === 0) return NONE;
    const known = this.known.get(person);
    if (known !== undefined) return known;
    const reading = this.read(userId);
    this.known.set(person, reading);
    reading.catch(() => {
      if (this.known.peek(person) === reading) this.known.delete(person);
    });
    return reading;
  }

  reload(): void {
    this.known.clear();
  }

  changed(persons: readonly string[]): void {
    for (const person of persons) this.known.delete(person);
  }

  private async read(userId: string): Promise<readonly string[]> {
    await this.follow();
    const { rows } = await this.pool.query<{ readonly groups: readonly string[] }>(
      'SELECT groups FROM user_identities WHERE user_id = $1',
      [userId],
    );
    return Object.freeze(rows[0]?.groups ?? NONE);
  }

  /** From the first question on; where it fails, the next one tries again. */
  private async follow(): Promise<void> {
    this.following ??= this.changes.follow(GROUP_CHANGES, this);
    await this.following.catch((error: unknown) => {
      this.following = undefined;
      throw error;
    });
  }
}
