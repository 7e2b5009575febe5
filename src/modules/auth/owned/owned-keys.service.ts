import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, type FindOptionsWhere, IsNull, LessThan, Not, Repository } from 'typeorm';
import type { AuditTarget } from '../../../kit/audit/audit-entry.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { CONFLICT, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { decodeCursor, pageOf, type Page, type PageQueryDto } from '../../../kit/http/pagination.js';
import { ScopeCatalogue } from '../../../kit/security/scope.js';
import type { Principal } from '../../../kit/security/principal.js';
import { WebhookEndpoints } from '../../webhooks/delivery/webhook-endpoints.service.js';
import { notifyUser } from '../../users/notices/notify-user.js';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { factsOf, ownerIdOf, requireOwnScopes, requireRoom } from './owned-credentials.js';
import { CredentialAuthenticator } from '../credentials/credential-authenticator.js';
import { nextCredentialId } from '../secrets/credential-ids.js';
import { ApiKeyEntity } from '../api-keys/api-key.entity.js';
import { apiKeyKeyOf } from '../api-keys/api-keys.service.js';
import { SharedSecrets } from '../signatures/shared-secrets.js';
import { type KeyTermsDto, keyTermsOf } from './key-terms.dto.js';
import { API_KEY_IDS } from '../names/ids.js';

/** Keys that are sent, or keys that sign. */
export type KeyKind = 'api_key' | 'signing_key';

/** What a caller proves itself by: the digest of what it sends, the public half of what it signs with, or the secret. */
export type KeyHalf = Pick<ApiKeyEntity, 'keyHash' | 'publicKey' | 'sealedSecret' | 'prefix'>;

/** Makes the half of a key whose id is known, in the transaction that stores it. */
export type MakeHalf = (manager: EntityManager, key: HalvedKey) => KeyHalf | Promise<KeyHalf>;

/** A key that gets a half; null where it had none before. */
export interface HalvedKey {
  readonly apiKeyId: string;
  readonly former: KeyHalf | null;
}

const OF_KIND = {
  api_key: { publicKey: IsNull() },
  signing_key: { publicKey: Not(IsNull()) },
} as const satisfies Record<KeyKind, FindOptionsWhere<ApiKeyEntity>>;

/** Manages the keys of users for their machines. Every method throws `forbidden` (403) unless called by a session. */
@Injectable()
export class OwnedKeysService {
  constructor(
    @InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>,
    private readonly authenticator: CredentialAuthenticator,
    private readonly webhooks: WebhookEndpoints,
    private readonly access: AccountAccessService,
    private readonly audit: AuditLog,
    private readonly scopes: ScopeCatalogue,
    private readonly secrets: SharedSecrets,
  ) {}

  /**
   * Creates a key for the caller's accounts, or for one of them. Throws `validation_failed` (400), `insufficient_scope`,
   * `step_up_required` (403), `account_not_found` (404) and `conflict` (409) at the limit, which each kind has of its own.
   */
  async create(
    principal: Principal,
    kind: KeyKind,
    body: KeyTermsDto,
    makeHalf: MakeHalf,
  ): Promise<ApiKeyEntity> {
    const ownerUserId = ownerIdOf(principal);
    const terms = keyTermsOf(body);
    requireOwnScopes(this.scopes, principal, terms.scopes);
    const accountId = await this.boundAccountOf(principal, body.account_id);
    return this.keys.manager.transaction(async (manager) => {
      await requireRoom(manager, ownerUserId, () =>
        manager.countBy(ApiKeyEntity, { ownerUserId, ...OF_KIND[kind] }),
      );
      const apiKeyId = await nextCredentialId(manager, API_KEY_IDS);
      const half = await makeHalf(manager, { apiKeyId, former: null });
      const stored = await manager.save(
        manager.create(ApiKeyEntity, {
          ...terms,
          ...half,
          apiKeyId,
          ownerUserId,
          accountOwner: principal.accountOwner,
          accountId,
          previousKeyHash: null,
          previousPublicKey: null,
          previousSealedSecret: null,
          previousExpiresAt: null,
          previousLastUsedAt: null,
          lastUsedAt: null,
        }),
      );
      const { scopes, expiresAt: expires_at, allowedAddresses: allowed_addresses, markets } = terms;
      await this.audit.record(manager, {
        target: targetOf(stored.apiKeyId),
        details: {
          kind,
          scopes,
          expires_at,
          account_id: body.account_id ?? null,
          allowed_addresses,
          markets,
        },
      });
      await notifyUser(manager, principal.accountOwner, `${kind}_created`, factsOf(stored.name, scopes));
      return stored;
    });
  }

  /** The caller's keys of a kind, newest first, including expired ones. Throws `invalid_cursor` (400). */
  async list<Dto>(
    principal: Principal,
    kind: KeyKind,
    { limit, cursor }: PageQueryDto,
    toDto: (key: ApiKeyEntity) => Dto,
  ): Promise<Page<Dto>> {
    const ownerUserId = ownerIdOf(principal);
    const before = decodeCursor(cursor, ['text'])?.[0];
    const rows = await this.keys.find({
      where: {
        ownerUserId,
        ...OF_KIND[kind],
        ...(before !== undefined && { apiKeyId: LessThan(before) }),
      },
      order: { apiKeyId: 'DESC' },
      take: limit + 1,
    });
    return pageOf(rows, limit, (key) => [key.apiKeyId], toDto);
  }

  /**
   * Puts another half in the place of the present one, which stays good for the overlap, and ends the one before at once.
   * The key keeps its id, and with it its terms, its webhooks and its Idempotency-Keys. Throws `not_found` (404),
   * `insufficient_scope`, `step_up_required` (403), and `conflict` (409) for a key that has expired or has this half.
   */
  async rotate(
    principal: Principal,
    kind: KeyKind,
    apiKeyId: string,
    makeHalf: MakeHalf,
    overlapMs: number,
  ): Promise<ApiKeyEntity> {
    const ownerUserId = ownerIdOf(principal);
    const rotated = await this.keys.manager.transaction(async (manager) => {
      // Rotations of one key come one after the other, so that never three halves are good.
      const key = await manager.findOne(ApiKeyEntity, {
        where: { apiKeyId, ownerUserId, ...OF_KIND[kind] },
        lock: { mode: 'pessimistic_write' },
      });
      if (key === null) throw notFound();
      requireOwnScopes(this.scopes, principal, key.scopes);
      const half = await makeHalf(manager, { apiKeyId, former: key });
      requireRotatable(key, half);
      const hasOverlap = overlapMs > 0;
      const { keyHash, publicKey, sealedSecret } = key;
      await this.secrets.discard(manager, key.previousSealedSecret, hasOverlap ? null : sealedSecret);
      Object.assign(key, half, {
        previousKeyHash: hasOverlap ? keyHash : null,
        previousPublicKey: hasOverlap ? publicKey : null,
        previousSealedSecret: hasOverlap ? sealedSecret : null,
        previousExpiresAt: hasOverlap ? new Date(Date.now() + overlapMs) : null,
        previousLastUsedAt: null,
      });
      await this.audit.record(manager, {
        target: targetOf(apiKeyId),
        details: { kind, previous_expires_at: key.previousExpiresAt },
      });
      await notifyUser(manager, principal.accountOwner, 'key_rotated', factsOf(key.name, key.scopes));
      return manager.save(key);
    });
    this.authenticator.forgetAllOf(apiKeyKeyOf(apiKeyId));
    return rotated;
  }

  /**
   * Deletes a key of the caller and disables its webhooks; the key is refused from then on. Throws `not_found` (404).
   */
  async delete(principal: Principal, kind: KeyKind, apiKeyId: string): Promise<void> {
    const key = apiKeyKeyOf(apiKeyId);
    const ownerUserId = ownerIdOf(principal);
    await this.keys.manager.transaction(async (manager) => {
      const stored = await manager.findOne(ApiKeyEntity, {
        where: { apiKeyId, ownerUserId, ...OF_KIND[kind] },
        lock: { mode: 'pessimistic_write' },
      });
      if (stored === null) throw notFound();
      await manager.delete(ApiKeyEntity, { apiKeyId });
      await this.secrets.discard(manager, stored.sealedSecret, stored.previousSealedSecret);
      await this.webhooks.disableAllOf(manager, key);
      await this.audit.record(manager, { target: targetOf(apiKeyId) });
    });
    this.authenticator.forgetAllOf(key);
  }

  private async boundAccountOf(
    principal: Principal,
    text: string | null | undefined,
  ): Promise<string | null> {
    return text == null ? null : String(await this.access.ownTradingAccountId(principal, text));
  }
}

function requireRotatable(key: ApiKeyEntity, { publicKey }: KeyHalf): void {
  if (key.expiresAt !== null && key.expiresAt.getTime() <= Date.now()) {
    throw new ApiError(CONFLICT, 'The key has expired; make another one.');
  }
  if (publicKey !== null && key.publicKey?.equals(publicKey) === true) {
    throw new ApiError(CONFLICT, 'The key has this public half already; send that of another pair.');
  }
}

function targetOf(id: string): AuditTarget {
  return { type: 'api_key', id };
}

function notFound(): ApiError {
  return new ApiError(
    NOT_FOUND,
    'There is no such key of yours. See GET /auth/api-keys and GET /auth/signing-keys.',
  );
}
