import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { columnsOf, type RowOf } from '../../../kit/database/rows.js';
import type { Principal } from '../../../kit/security/principal.js';
import { UserStatus, principalKeyOf } from '../../users/user.entity.js';
import { ApiKeyEntity } from '../api-keys/api-key.entity.js';
import { apiKeyKeyOf } from '../api-keys/api-keys.service.js';
import { SharedSecrets } from '../signatures/shared-secrets.js';
import { publicHalfOf, type SigningHalf, type SigningKey } from '../signatures/signing-key.js';
import type { Credential } from '../../../kit/security/credential-cache.js';
import { PrincipalAccounts } from '../../accounts/owners/principal-accounts.js';

const KEY = columnsOf(
  ApiKeyEntity,
  'apiKeyId',
  'accountOwner',
  'ownerUserId',
  'scopes',
  'accountId',
  'allowedAddresses',
  'markets',
  'expiresAt',
  'previousExpiresAt',
);

interface KeyRow extends RowOf<typeof KEY> {
  /** The user at the top of who made the owner. */
  readonly root_user_id: string | null;
}

interface ApiKeyRow extends KeyRow {
  /** Of the present key or of the former one, whichever was looked up. */
  readonly digest: string;
  readonly is_former: boolean;
}

const HALVES = columnsOf(
  ApiKeyEntity,
  'publicKey',
  'previousPublicKey',
  'sealedSecret',
  'previousSealedSecret',
);

interface SigningKeyRow extends KeyRow, RowOf<typeof HALVES> {}

const COLUMNS = `${KEY.of('key')}, owner.creation_root_id AS root_user_id`;

/** Reads keys of machines. Keys of locked or closed users are not found. */
@Injectable()
export class KeyStore {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly accounts: PrincipalAccounts,
    private readonly secrets: SharedSecrets,
  ) {}

  /** By the digests of what is sent in the header `api_key`. */
  async findApiKeys(digests: readonly string[]): Promise<ReadonlyMap<string, Credential>> {
    const rows = await this.database.query<ApiKeyRow[]>(
      `SELECT key.digest, key.is_former, ${COLUMNS}
         FROM (SELECT key_hash AS digest, false AS is_former, * FROM api_keys WHERE key_hash = ANY($1)
               UNION ALL
               SELECT previous_key_hash, true, * FROM api_keys WHERE previous_key_hash = ANY($1)) key
         LEFT JOIN users owner ON owner.user_id = key.owner_user_id
        WHERE coalesce(owner.user_status, $2) = $2`,
      [digests, UserStatus.active],
    );
    return entriesOf(rows, async (row) => {
      const principal = await this.principalOf(row);
      const { digest, is_former: isFormer } = row;
      // The first account of an owner comes without any change of its keys.
      const watched = { isWatched: principal.accountId !== null };
      if (!isFormer) return [digest, { ...credentialOf(row, principal), ...watched }];
      const formerEndsAtMs = row.previous_expires_at?.getTime() ?? 0;
      return [digest, { ...credentialOf(row, formerOf(principal), formerEndsAtMs), ...watched }];
    });
  }

  /** By their ids. */
  async findSigningKeys(ids: readonly string[]): Promise<ReadonlyMap<string, Credential<SigningKey>>> {
    const rows = await this.database.query<SigningKeyRow[]>(
      `SELECT ${COLUMNS}, ${HALVES.of('key')}
         FROM api_keys key
         LEFT JOIN users owner ON owner.user_id = key.owner_user_id
        WHERE key.api_key_id = ANY($1) AND key.key_hash IS NULL AND coalesce(owner.user_status, $2) = $2`,
      [ids, UserStatus.active],
    );
    return entriesOf(rows, async (row) => {
      const principal = await this.principalOf(row);
      const formerEndsAtMs = row.previous_expires_at?.getTime() ?? 0;
      const { public_key, sealed_secret, previous_public_key, previous_sealed_secret } = row;
      const halves = await Promise.all([
        this.halfOf(row, public_key, sealed_secret, principal),
        this.halfOf(row, previous_public_key, previous_sealed_secret, formerOf(principal), formerEndsAtMs),
      ]);
      return [row.api_key_id, credentialOf(row, { halves: halves.filter((half) => half !== undefined) })];
    });
  }

  /** Undefined where there is none that is good. */
  private async halfOf(
    { api_key_id: id }: KeyRow,
    publicKey: Buffer | null,
    sealedSecret: Buffer | null,
    principal: Principal,
    endsAtMs = Infinity,
  ): Promise<SigningHalf | undefined> {
    if (publicKey !== null) return publicHalfOf(publicKey, principal, endsAtMs);
    // A former secret that has ended may have no data key any more.
    if (sealedSecret === null || Date.now() >= endsAtMs) return undefined;
    const shared = await this.secrets.open(sealedSecret, id);
    return shared && { ...shared, principal, endsAtMs };
  }

  private async principalOf(row: KeyRow): Promise<Principal> {
    const {
      api_key_id: id,
      account_owner: accountOwner,
      root_user_id: rootId,
      allowed_addresses,
      markets,
    } = row;
    return {
      kind: 'api_key',
      key: apiKeyKeyOf(id),
      id,
      accountOwner,
      accountId:
        row.account_id === null ? await this.accounts.accountOf(accountOwner) : Number(row.account_id),
      scopes: new Set(row.scopes),
      ...(rootId !== null && { registrationRoot: principalKeyOf({ userId: rootId }) }),
      ...(row.account_id !== null && { isBoundToAccount: true as const }),
      ...(allowed_addresses !== null && { allowedNetworks: allowed_addresses }),
      ...(markets !== null && { allowedMarkets: markets }),
    };
  }
}

function formerOf(principal: Principal): Principal {
  return { ...principal, isByFormerKey: true };
}

function credentialOf<Answer>(row: KeyRow, answer: Answer, endsAtMs = Infinity): Credential<Answer> {
  const owner = row.owner_user_id === null ? [] : [principalKeyOf({ userId: row.owner_user_id })];
  return {
    answer,
    expiresAtMs: Math.min(row.expires_at?.getTime() ?? Infinity, endsAtMs),
    heldBy: [apiKeyKeyOf(row.api_key_id), ...owner],
  };
}

async function entriesOf<Row, Answer>(
  rows: readonly Row[],
  entryOf: (row: Row) => Promise<[string, Credential<Answer>]>,
): Promise<ReadonlyMap<string, Credential<Answer>>> {
  return new Map(await Promise.all(rows.map(entryOf)));
}
