import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Principal } from '../../../platform/security/principal.js';
import { apiKeyKeyOf } from '../api-keys/api-keys.service.js';
import { clientKeyOf } from '../clients/oauth-clients.service.js';
import { UserStatus } from '../../users/user.entity.js';
import { PrincipalAccounts } from './principal-accounts.js';
import type { Credential } from './credential-cache.js';

interface TokenRow {
  readonly token_hash: string;
  readonly client_id: string;
  readonly account_owner: string;
  readonly scopes: readonly string[];
  readonly expires_at: Date;
}

interface ApiKeyRow {
  readonly key_hash: string;
  readonly api_key_id: string;
  readonly account_owner: string;
  readonly scopes: readonly string[];
}

/** Reads credentials by their digests. What belongs to a locked or closed user is not found. */
@Injectable()
export class CredentialStore {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly accounts: PrincipalAccounts,
  ) {}

  /** Access tokens. A token never does more than its client may do now. */
  async findTokens(digests: readonly string[]): Promise<ReadonlyMap<string, Credential>> {
    const rows = await this.database.query<TokenRow[]>(
      `SELECT token.token_hash, token.client_id, client.account_owner, token.expires_at,
              ARRAY(SELECT unnest(token.scopes) INTERSECT SELECT unnest(client.scopes)) AS scopes
         FROM oauth_tokens token
         JOIN oauth_clients client USING (client_id)
         LEFT JOIN users owner ON owner.user_id = client.owner_user_id
        WHERE token.token_hash = ANY($1) AND coalesce(owner.user_status, $2) = $2`,
      [digests, UserStatus.active],
    );
    return mapAsync(rows, async (row) => [
      row.token_hash,
      {
        principal: await this.principal('client', row.client_id, clientKeyOf(row.client_id), row),
        expiresAtMs: row.expires_at.getTime(),
      },
    ]);
  }

  async findApiKeys(digests: readonly string[]): Promise<ReadonlyMap<string, Credential>> {
    const rows = await this.database.query<ApiKeyRow[]>(
      `SELECT key.key_hash, key.api_key_id, key.account_owner, key.scopes
         FROM api_keys key
         LEFT JOIN users owner ON owner.user_id = key.owner_user_id
        WHERE key.key_hash = ANY($1) AND coalesce(owner.user_status, $2) = $2`,
      [digests, UserStatus.active],
    );
    return mapAsync(rows, async (row) => [
      row.key_hash,
      {
        principal: await this.principal('api_key', row.api_key_id, apiKeyKeyOf(row.api_key_id), row),
        expiresAtMs: Infinity,
      },
    ]);
  }

  private async principal(
    kind: Principal['kind'],
    id: string,
    key: string,
    row: { readonly account_owner: string; readonly scopes: readonly string[] },
  ): Promise<Principal> {
    return {
      kind,
      key,
      id,
      accountOwner: row.account_owner,
      accountId: await this.accounts.accountOf(row.account_owner),
      scopes: new Set(row.scopes),
    };
  }
}

async function mapAsync<Row>(
  rows: readonly Row[],
  entryOf: (row: Row) => Promise<[string, Credential]>,
): Promise<ReadonlyMap<string, Credential>> {
  return new Map(await Promise.all(rows.map(entryOf)));
}
