import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, Repository } from 'typeorm';
import type { AuditTarget } from '../../../platform/audit/audit-entry.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { ApiError } from '../../../platform/http/errors.js';
import { decodeCursor, pageOf, type Page, type PageQueryDto } from '../../../platform/http/pagination.js';
import { parseUtcTime } from '../../../platform/http/validation/is-utc-time.js';
import { networkIn } from '../../../platform/security/allowed-networks.js';
import { ScopeCatalogue } from '../../../platform/security/plugin-scope.js';
import type { Principal } from '../../../platform/security/principal.js';
import { WebhookEndpoints } from '../../../platform/webhooks/webhook-endpoints.service.js';
import { AccountAccessService } from '../../core-access/account-access.service.js';
import { ownerIdOf, requireOwnScopes, requireRoom } from './owned-credentials.js';
import { CredentialAuthenticator } from '../credentials/credential-authenticator.js';
import { nextCredentialId } from '../credential-ids.js';
import { digestOf, newSecret } from '../secrets.js';
import { toApiKeyDto, type ApiKeyDto, type CreateApiKeyDto, type CreatedApiKeyDto } from './api-key.dto.js';
import { ApiKeyEntity } from '../api-keys/api-key.entity.js';
import { apiKeyKeyOf, PREFIX_LENGTH } from '../api-keys/api-keys.service.js';

/** Manages the API keys of users. Every method throws `forbidden` (403) unless called by a session. */
@Injectable()
export class OwnedApiKeysService {
  constructor(
    @InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>,
    private readonly authenticator: CredentialAuthenticator,
    private readonly webhooks: WebhookEndpoints,
    private readonly access: AccountAccessService,
    private readonly audit: AuditLog,
    private readonly scopes: ScopeCatalogue,
  ) {}

  /**
   * Creates a key for the caller's accounts, or for one of them; only this response contains the key. Throws
   * `validation_failed` (400), `insufficient_scope`, `step_up_required` (403), `account_not_found` (404) and `conflict` (409) at the limit.
   */
  async create(
    principal: Principal,
    { name, scopes, expires_at, account_id, allowed_addresses }: CreateApiKeyDto,
  ): Promise<CreatedApiKeyDto> {
    const ownerUserId = ownerIdOf(principal);
    const expiresAt = expires_at == null ? null : timeAhead(expires_at);
    requireOwnScopes(this.scopes, principal, scopes ?? []);
    const boundTo = account_id == null ? null : await this.access.ownTradingAccountId(principal, account_id);
    const allowedAddresses = allowed_addresses?.map((text) => networkIn(text)!) ?? null;
    const key = newSecret('tpk');
    const made = await this.keys.manager.transaction(async (manager) => {
      await requireRoom(manager, ownerUserId, () => manager.countBy(ApiKeyEntity, { ownerUserId }));
      const stored = await manager.save(
        manager.create(ApiKeyEntity, {
          apiKeyId: await nextCredentialId(manager, 'key'),
          keyHash: digestOf(key),
          prefix: key.slice(0, PREFIX_LENGTH),
          name,
          scopes: scopes ?? [],
          ownerUserId,
          accountOwner: principal.accountOwner,
          accountId: boundTo === null ? null : String(boundTo),
          allowedAddresses,
          expiresAt,
          lastUsedAt: null,
        }),
      );
      await this.audit.record(manager, {
        target: targetOf(stored.apiKeyId),
        details: {
          scopes: stored.scopes,
          expires_at: expiresAt,
          account_id: account_id ?? null,
          allowed_addresses: allowedAddresses,
        },
      });
      return stored;
    });
    return { ...toApiKeyDto(made), api_key: key };
  }

  /** The caller's keys, newest first, including expired ones. Throws `invalid_cursor` (400). */
  async list(principal: Principal, { limit, cursor }: PageQueryDto): Promise<Page<ApiKeyDto>> {
    const ownerUserId = ownerIdOf(principal);
    const before = decodeCursor(cursor, ['text'])?.[0];
    const rows = await this.keys.find({
      where: { ownerUserId, ...(before !== undefined && { apiKeyId: LessThan(before) }) },
      order: { apiKeyId: 'DESC' },
      take: limit + 1,
    });
    return pageOf(rows, limit, (key) => [key.apiKeyId], toApiKeyDto);
  }

  /**
   * Deletes a key of the caller and disables its webhooks; the key is refused from then on. Throws `not_found` (404).
   */
  async delete(principal: Principal, apiKeyId: string): Promise<void> {
    const key = apiKeyKeyOf(apiKeyId);
    await this.keys.manager.transaction(async (manager) => {
      const { affected } = await manager.delete(ApiKeyEntity, {
        apiKeyId,
        ownerUserId: ownerIdOf(principal),
      });
      if (affected === 0) {
        throw new ApiError('not_found', 'There is no such API key of yours. See GET /auth/api-keys.');
      }
      await this.webhooks.disableAllOf(manager, key);
      await this.audit.record(manager, { target: targetOf(apiKeyId) });
    });
    this.authenticator.forgetAllOf(key);
  }
}

function targetOf(id: string): AuditTarget {
  return { type: 'api_key', id };
}

function timeAhead(text: string): Date {
  const time = new Date(parseUtcTime(text) as number);
  if (time.getTime() > Date.now()) return time;
  throw ApiError.validation([{ field: 'expires_at', message: 'expires_at must be ahead of now' }]);
}
