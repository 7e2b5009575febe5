import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Row } from '../../kit/database/rows.js';
import type { DataOwner, PersonalErasure, PersonalSection } from '../../kit/personal-data/personal-data.js';
import { everyItem } from '../../kit/personal-data/pages.js';
import { OwnedApiKeysService } from './owned/owned-api-keys.service.js';
import { Passkeys } from './factors/passkeys.service.js';
import { OwnedClientsService } from './owned/owned-clients.service.js';
import { OwnedSigningKeysService } from './owned/owned-signing-keys.service.js';
import type { UserIdentityEntity } from './identity/user-identity.entity.js';
import type { GrantEntity } from './tokens/grant.entity.js';
import { UserSessions } from './sessions/user-sessions.service.js';

interface GrantRow extends Row<GrantEntity, 'clientId' | 'scopes' | 'grantedAt' | 'expiresAt'> {
  readonly client_name: string;
}

/** Exports users' credentials without their secrets, and erases what is left of them. */
@Injectable()
export class AuthPersonalData {
  readonly sections: readonly PersonalSection[];
  readonly erasures: readonly PersonalErasure[];

  constructor(
    sessions: UserSessions,
    keys: OwnedApiKeysService,
    signingKeys: OwnedSigningKeysService,
    passkeys: Passkeys,
    clients: OwnedClientsService,
    @InjectDataSource() private readonly database: DataSource,
  ) {
    this.sections = [
      {
        name: 'sessions',
        holds: 'where you are logged in, with device and address',
        rows: ({ principal }) => everyItem((page) => sessions.list(principal, page)),
      },
      {
        name: 'identities',
        holds: 'by which identities of other services you log in, with your groups there',
        rows: (owner) => this.identitiesOf(owner),
      },
      {
        name: 'grants',
        holds: 'clients that you let act for you',
        rows: (owner) => this.grantsOf(owner),
      },
      {
        name: 'api_keys',
        holds: 'your API keys, without the keys themselves',
        rows: ({ principal }) => everyItem((page) => keys.list(principal, page)),
      },
      {
        name: 'signing_keys',
        holds: 'your signing keys: their public halves, which is all that is here',
        rows: ({ principal }) => everyItem((page) => signingKeys.list(principal, page)),
      },
      {
        name: 'passkeys',
        holds: 'your passkeys, by their names',
        rows: ({ principal }) => everyItem((page) => passkeys.list(principal, page)),
      },
      {
        name: 'clients',
        holds: 'your OAuth clients, without their secrets',
        rows: ({ principal }) => everyItem((page) => clients.list(principal, page)),
      },
    ];
    this.erasures = [{ name: 'sessions', due: 'closing', erase: (owner) => this.eraseSessions(owner) }];
  }

  /** At most one for each client, so they are few. */
  private async *grantsOf({ userId }: DataOwner): AsyncGenerator<object> {
    const rows = await this.database.query<GrantRow[]>(
      `SELECT client_id, client.name AS client_name, grants.scopes, granted_at, grants.expires_at
       FROM oauth_grants grants JOIN oauth_clients client USING (client_id)
       WHERE user_id = $1 AND grants.expires_at > now() ORDER BY granted_at, client_id`,
      [userId],
    );
    for (const { granted_at: grantedAt, expires_at: expiresAt, ...grant } of rows) {
      yield { ...grant, granted_at: grantedAt.toISOString(), expires_at: expiresAt.toISOString() };
    }
  }

  private async *identitiesOf({ userId }: DataOwner): AsyncGenerator<object> {
    const rows = await this.database.query<
      Row<UserIdentityEntity, 'issuer' | 'subject' | 'provider' | 'groups' | 'boundAt'>[]
    >('SELECT issuer, subject, provider, groups, bound_at FROM user_identities WHERE user_id = $1', [userId]);
    for (const { bound_at: boundAt, ...identity } of rows)
      yield { ...identity, bound_at: boundAt.toISOString() };
  }

  /** Closing has ended them; their rows, with devices and addresses, would stay until they expire. */
  private async eraseSessions({ userId }: DataOwner): Promise<void> {
    await this.database.transaction(async (manager) => {
      await manager.query('DELETE FROM login_sessions WHERE user_id = $1', [userId]);
      await manager.query('DELETE FROM sessions WHERE user_id = $1', [userId]);
    });
  }
}
