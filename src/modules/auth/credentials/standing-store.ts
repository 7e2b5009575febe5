import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type UserEntity, UserStatus } from '../../users/user.entity.js';
import type { Row } from '../../../kit/database/rows.js';
import { holdsRoleIn } from './holds-role.js';
import { ScopeCatalogue } from '../../../kit/security/scope.js';
import { sessionScopesOf } from './session-scopes.js';
import type { Credential } from '../../../kit/security/credential-cache.js';

type Scopes = ReadonlySet<string>;

interface StandingRow extends Row<UserEntity, 'isOperator' | 'operatorRoles' | 'identityRoles'> {
  readonly credential: string;
  /** Null for users themselves, who have all scopes of a session. */
  readonly scopes: readonly string[] | null;
  readonly expires_at: Date | null;
  /** See `Credential.heldBy`. */
  readonly held_by: readonly (string | null)[];
}

const IS_ACTIVE = `= ${UserStatus.active}`;

/** Without an owner, nobody can be locked or closed. */
const OWNER_IS_ACTIVE = `coalesce(owner.user_status, ${UserStatus.active}) ${IS_ACTIVE}`;

/** Reads the current state of credentials by the keys of `credentialKeyOf`. */
@Injectable()
export class StandingStore {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly scopes: ScopeCatalogue,
  ) {}

  /** The scopes of valid credentials. A grant's scopes are those of all grants of that user to that client. */
  async find(keys: readonly string[]): Promise<ReadonlyMap<string, Credential<Scopes>>> {
    const rows = await this.database.query<StandingRow[]>(
      `SELECT credential, NULL::text[] AS scopes, is_operator, operator_roles, identity_roles, NULL::timestamptz AS expires_at,
              ARRAY[credential] AS held_by
         FROM unnest($1::text[]) AS credential
         JOIN users holder ON holder.user_id = substring(credential FROM '^user:([0-9]{1,18})$')::bigint
        WHERE holder.user_status ${IS_ACTIVE}
       UNION ALL
       SELECT credential, client.scopes, false, '{}', '{}', NULL, ARRAY[credential, 'user:' || client.owner_user_id]
         FROM unnest($1::text[]) AS credential
         JOIN oauth_clients client ON client.client_id = substring(credential FROM '^client:(.+)$')
         LEFT JOIN users owner ON owner.user_id = client.owner_user_id
        WHERE ${OWNER_IS_ACTIVE}
       UNION ALL
       SELECT credential, key.scopes, false, '{}', '{}', key.expires_at, ARRAY[credential, 'user:' || key.owner_user_id]
         FROM unnest($1::text[]) AS credential
         JOIN api_keys key ON key.api_key_id = substring(credential FROM '^api_key:(.+)$')
         LEFT JOIN users owner ON owner.user_id = key.owner_user_id
        WHERE ${OWNER_IS_ACTIVE}
       UNION ALL
       SELECT credential, array_agg(DISTINCT scope), false, '{}', '{}', max(given.expires_at),
              ARRAY['client:' || client.client_id, 'user:' || holder.user_id, 'user:' || max(owner.user_id)]
                || array_agg(DISTINCT 'grant:' || given.grant_id)
         FROM unnest($1::text[]) AS credential
         JOIN oauth_grants given ON given.client_id = substring(credential FROM '^grant:(.+):user:[0-9]{1,18}$')
          AND given.user_id = substring(credential FROM '^grant:.+:user:([0-9]{1,18})$')::bigint
          AND given.code_redeemed_at IS NOT NULL AND given.expires_at > $2
         JOIN oauth_clients client ON client.client_id = given.client_id
         JOIN users holder ON holder.user_id = given.user_id AND holder.user_status ${IS_ACTIVE}
         LEFT JOIN users owner ON owner.user_id = client.owner_user_id
        CROSS JOIN LATERAL unnest(given.scopes) AS scope
        WHERE ${OWNER_IS_ACTIVE} AND scope = ANY(client.scopes) AND (scope <> ALL($3::text[]) OR ${holdsRoleIn('holder', 'scope', 'true')})
        GROUP BY credential, client.client_id, holder.user_id`,
      [keys, new Date(), this.scopes.roles],
    );
    return new Map(rows.map((row) => [row.credential, standingOf(row, this.scopes)]));
  }
}

function standingOf(row: StandingRow, scopes: ScopeCatalogue): Credential<Scopes> {
  return {
    answer: new Set(
      row.scopes ??
        sessionScopesOf(
          scopes,
          {
            isOperator: row.is_operator,
            operatorRoles: row.operator_roles,
            identityRoles: row.identity_roles,
          },
          'basic',
        ),
    ),
    expiresAtMs: row.expires_at?.getTime() ?? Infinity,
    heldBy: row.held_by.filter((holder) => holder !== null),
  };
}
