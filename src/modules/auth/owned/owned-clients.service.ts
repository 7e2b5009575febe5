import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, Repository } from 'typeorm';
import type { AuditTarget } from '../../../kit/audit/audit-entry.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { decodeCursor, pageOf, type Page, type PageQueryDto } from '../../../kit/http/pagination.js';
import { ScopeCatalogue } from '../../../kit/security/scope.js';
import type { Principal } from '../../../kit/security/principal.js';
import { WebhookEndpoints } from '../../webhooks/delivery/webhook-endpoints.service.js';
import { CredentialAuthenticator } from '../credentials/credential-authenticator.js';
import { nextCredentialId } from '../secrets/credential-ids.js';
import { digestOf, newSecret } from '../secrets/secrets.js';
import { AccessTokensService } from '../tokens/access-tokens.service.js';
import {
  clientTermsOf,
  toClientDto,
  type ClientDto,
  type CreateClientDto,
  type CreatedClientDto,
} from './client.dto.js';
import { OAuthClientEntity } from '../clients/oauth-client.entity.js';
import { clientKeyOf } from '../clients/oauth-clients.service.js';
import { notifyUser } from '../../users/notices/notify-user.js';
import { factsOf, ownerIdOf, requireOwnScopes, requireRoom } from './owned-credentials.js';
import { CLIENT_IDS } from '../names/ids.js';

/** The secret has 256 random bits after its kind. */
const PREFIX_LENGTH = 8;

/** Manages the clients of users. Every method throws `forbidden` (403) unless called by a session. */
@Injectable()
export class OwnedClientsService {
  constructor(
    @InjectRepository(OAuthClientEntity) private readonly clients: Repository<OAuthClientEntity>,
    private readonly tokens: AccessTokensService,
    private readonly authenticator: CredentialAuthenticator,
    private readonly webhooks: WebhookEndpoints,
    private readonly audit: AuditLog,
    private readonly scopes: ScopeCatalogue,
  ) {}

  /**
   * Creates a client for the caller's account; only this response contains its secret. Throws `validation_failed`
   * (400), `insufficient_scope` (403) and `conflict` (409) at the limit.
   */
  async create(principal: Principal, body: CreateClientDto): Promise<CreatedClientDto> {
    const ownerUserId = ownerIdOf(principal);
    const { isPublic, ...terms } = clientTermsOf(body, this.scopes);
    requireOwnScopes(this.scopes, principal, terms.scopes);
    const secret = isPublic ? null : newSecret('tps');
    const client = await this.clients.manager.transaction(async (manager) => {
      await requireRoom(manager, ownerUserId, () => manager.countBy(OAuthClientEntity, { ownerUserId }));
      const made = await manager.save(
        manager.create(OAuthClientEntity, {
          ...terms,
          clientId: await nextCredentialId(manager, CLIENT_IDS),
          secretHash: secret === null ? null : digestOf(secret),
          prefix: secret?.slice(0, PREFIX_LENGTH) ?? null,
          ownerUserId,
          accountOwner: principal.accountOwner,
          lastUsedAt: null,
        }),
      );
      const { clientId, scopes, grantTypes } = made;
      await this.audit.record(manager, {
        target: targetOf(clientId),
        details: { scopes, grant_types: grantTypes },
      });
      await notifyUser(manager, principal.accountOwner, 'client_created', factsOf(terms.name, scopes));
      return made;
    });
    return { ...toClientDto(client), client_secret: secret };
  }

  /** The caller's clients, newest first. Throws `invalid_cursor` (400). */
  async list(principal: Principal, { limit, cursor }: PageQueryDto): Promise<Page<ClientDto>> {
    const ownerUserId = ownerIdOf(principal);
    const before = decodeCursor(cursor, ['text'])?.[0];
    const rows = await this.clients.find({
      where: { ownerUserId, ...(before !== undefined && { clientId: LessThan(before) }) },
      order: { clientId: 'DESC' },
      take: limit + 1,
    });
    return pageOf(rows, limit, (client) => [client.clientId], toClientDto);
  }

  /** Deletes a client of the caller, disables its webhooks, and revokes its tokens. Throws `not_found` (404). */
  async delete(principal: Principal, clientId: string): Promise<void> {
    const owned = { clientId, ownerUserId: ownerIdOf(principal) };
    if (CLIENT_IDS.parse(clientId) === undefined || !(await this.clients.existsBy(owned))) {
      throw new ApiError(NOT_FOUND, 'There is no such client of yours. See GET /auth/clients.');
    }
    // Grants are deleted before the client's row, since an exchange locks the grant first too.
    await this.tokens.revokeAllOfClient(clientId);
    await this.clients.manager.transaction(async (manager) => {
      await manager.delete(OAuthClientEntity, owned);
      await this.audit.record(manager, { target: targetOf(clientId) });
      await this.webhooks.disableAllOf(manager, clientKeyOf(clientId));
    });
    this.authenticator.forgetAllOf(clientKeyOf(clientId));
  }
}

function targetOf(id: string): AuditTarget {
  return { type: 'client', id };
}
