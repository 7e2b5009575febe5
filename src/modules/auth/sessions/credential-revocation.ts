import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { WebhookEndpoints } from '../../webhooks/delivery/webhook-endpoints.service.js';
import { type CredentialKeeper, UserCredentials } from '../../users/user-credentials.js';
import { principalKeyOf } from '../../users/user.entity.js';
import { MemberRoles } from '../../accounts/access/member-roles.js';
import { CredentialAuthenticator } from '../credentials/credential-authenticator.js';
import { endMembershipsOf } from '../../accounts/access/membership-store.js';
import { FactorChanges } from '../factors/factor-changes.js';
import { ApiKeyEntity } from '../api-keys/api-key.entity.js';
import { SharedSecrets } from '../signatures/shared-secrets.js';
import { MailTokenEntity } from '../mailed/mail-token.entity.js';
import { AccessTokensService } from '../tokens/access-tokens.service.js';
import { IdentityLogInEntity } from '../identity/identity-log-in.entity.js';
import { UserIdentityEntity } from '../identity/user-identity.entity.js';
import { IdentitySessionEntity } from '../tokens/identity-session.entity.js';
import { KnownDeviceEntity } from '../tokens/known-device.entity.js';

/** Revokes users' credentials on events of the users' module. */
@Injectable()
export class CredentialRevocation implements CredentialKeeper, OnModuleInit {
  constructor(
    private readonly credentials: UserCredentials,
    private readonly tokens: AccessTokensService,
    private readonly authenticator: CredentialAuthenticator,
    private readonly factors: FactorChanges,
    private readonly secrets: SharedSecrets,
    @InjectDataSource() private readonly database: DataSource,
    private readonly webhooks: WebhookEndpoints,
    private readonly roles: MemberRoles,
  ) {}

  onModuleInit(): void {
    this.credentials.keptBy(this);
  }

  async endSessions(userId: string, keptToken: string | undefined): Promise<void> {
    // Links that were mailed before a new password must not set yet another.
    await this.database.manager.delete(MailTokenEntity, { userId, purpose: 'reset' });
    await this.tokens.revokeAllOfUser(userId, keptToken);
  }

  rolesChanged(userId: string): Promise<void> {
    this.authenticator.forgetAllOf(principalKeyOf({ userId }));
    return Promise.resolve();
  }

  async suspend(userId: string): Promise<void> {
    // Invalidates the cache before the answer: the store no longer finds the locked user's credentials.
    this.authenticator.forgetAllOf(principalKeyOf({ userId }));
    this.roles.forgetAllOf(principalKeyOf({ userId }));
    await this.tokens.revokeAllOfUser(userId);
    await this.tokens.revokeOwnOfClientsOf(userId);
  }

  async endAll(userId: string): Promise<void> {
    // Invalidates the cache before the answer: the store no longer finds the closed user's credentials.
    this.authenticator.forgetAllOf(principalKeyOf({ userId }));
    await this.tokens.revokeAllOfUser(userId);
    const clients = await this.database.query<{ readonly client_id: string }[]>(
      'SELECT client_id FROM oauth_clients WHERE owner_user_id = $1',
      [userId],
    );
    for (const { client_id: clientId } of clients) await this.tokens.revokeAllOfClient(clientId);
    await this.database.transaction(async (manager) => {
      await manager.query('DELETE FROM oauth_clients WHERE owner_user_id = $1', [userId]);
      for (const key of await manager.findBy(ApiKeyEntity, { ownerUserId: userId }))
        await this.secrets.discard(manager, key.sealedSecret, key.previousSealedSecret);
      await manager.delete(ApiKeyEntity, { ownerUserId: userId });
      await this.factors.discardAll(manager, userId);
      await manager.delete(KnownDeviceEntity, { userId });
      await manager.delete(MailTokenEntity, { userId });
      await manager.delete(IdentitySessionEntity, { userId });
      await manager.delete(IdentityLogInEntity, { linkedUserId: userId });
      await manager.delete(UserIdentityEntity, { userId });
      await this.webhooks.removeAllOf(manager, principalKeyOf({ userId }));
      await endMembershipsOf(manager, principalKeyOf({ userId }));
    });
    this.roles.forgetAllOf(principalKeyOf({ userId }));
  }
}
