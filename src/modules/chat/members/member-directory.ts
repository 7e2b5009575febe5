import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { rowsOf, type Transaction } from '../../../kit/database/transaction.js';
import type { Principal } from '../../../kit/security/principal.js';
import { clientKeyOf, OAuthClientsService } from '../../auth/clients/oauth-clients.service.js';
import { principalKeyOf, userIdOf, UserStatus } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import { growingCache } from '../../../kit/growing-cache.js';

const REMEMBERED_MAX = 20_000;
const CLIENT_NAME = /^client:(.+)$/;

/** Identities in the chat. A name belongs to one identity for good, even if the user is closed, so it can be cached. */
@Injectable()
export class MemberDirectory {
  private readonly usernames = growingCache<string, string>(REMEMBERED_MAX);

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    private readonly users: UsersService,
    private readonly clients: OAuthClientsService,
  ) {}

  /** As whom a principal speaks: users and clients as themselves, API keys as their owners. */
  async identityOf({ kind, key, id, accountOwner }: Principal): Promise<ChatIdentity> {
    if (kind === 'user') return { key, name: id };
    const speaker = kind === 'client' ? key : accountOwner;
    const names = await this.namesOf([speaker]);
    return { key: speaker, name: nameIn(names, speaker) };
  }

  /** The identity of a name, ignoring case for users; `undefined` if there is none. */
  async find(name: string): Promise<ChatIdentity | undefined> {
    if (CLIENT_NAME.test(name)) return { key: name, name };
    const user = await this.users.findByUsername(name);
    return user === null ? undefined : { key: principalKeyOf(user), name: user.username };
  }

  /** As `find`, but only active identities: no others can be added to a room. */
  async findActive(name: string): Promise<ChatIdentity | undefined> {
    const clientId = CLIENT_NAME.exec(name)?.[1];
    if (clientId !== undefined) {
      const client = await this.clients.find(clientId);
      return client === null ? undefined : { key: clientKeyOf(clientId), name };
    }
    const user = await this.users.findByUsername(name);
    if (user?.userStatus !== UserStatus.active) return undefined;
    return { key: principalKeyOf(user), name: user.username };
  }

  /** The names of these keys, by key. Who holds a connection passes its transaction on. */
  async namesOf(
    keys: Iterable<string>,
    transaction: Transaction = this.pool,
  ): Promise<ReadonlyMap<string, string>> {
    const names = new Map<string, string>();
    const unknownUserIds: string[] = [];
    for (const key of new Set(keys)) {
      const userId = userIdOf(key);
      const name = userId === undefined ? key : this.usernames.get(userId);
      if (name !== undefined) names.set(key, name);
      else unknownUserIds.push(userId as string);
    }
    if (unknownUserIds.length === 0) return names;
    const rows = await rowsOf<{ user_id: string; username: string }>(
      transaction,
      'SELECT user_id, username FROM users WHERE user_id = ANY($1::bigint[])',
      [unknownUserIds],
    );
    for (const { user_id: userId, username } of rows) {
      this.usernames.set(userId, username);
      names.set(principalKeyOf({ userId }), username);
    }
    return names;
  }
}

/** A name from the result of `namesOf`. Users are never deleted, so every key has one. */
export function nameIn(names: ReadonlyMap<string, string>, key: string): string {
  const name = names.get(key);
  if (name === undefined) throw new Error(`${key} has no name in the chat`);
  return name;
}
