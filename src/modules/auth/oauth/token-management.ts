import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { principalKeyOf } from '../../users/user.entity.js';
import { CredentialStore } from '../credentials/credential-store.js';
import { digestOf } from '../secrets/secrets.js';
import { AccessTokensService } from '../tokens/access-tokens.service.js';
import { GrantsService } from '../tokens/grants.service.js';
import { OAuthTokenEntity } from '../tokens/oauth-token.entity.js';
import { ClientAuthentication } from './client-authentication.js';
import type { IntrospectionResponse } from './oauth.dto.js';
import type { TokenManagementRequest } from './token-request.js';

const INACTIVE: IntrospectionResponse = { active: false };

/**
 * Lets clients revoke and introspect their own tokens. A token of another client counts as unknown. The library's own
 * versions require the client credentials grant.
 */
@Injectable()
export class TokenManagement {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectRepository(OAuthTokenEntity) private readonly issued: Repository<OAuthTokenEntity>,
    private readonly tokens: AccessTokensService,
    private readonly grants: GrantsService,
    private readonly credentials: CredentialStore,
    private readonly clients: ClientAuthentication,
  ) {}

  /**
   * Revokes an access token, or with a refresh token everything of its grant (RFC 7009). An unknown token is no error.
   * Rejects with `invalid_client`.
   */
  async revoke({ client, token }: TokenManagementRequest): Promise<void> {
    const { clientId } = await this.clients.identify(client);
    await this.grants.endByRefreshToken(token, clientId);
    const isIssued = await this.issued.existsBy({ tokenHash: digestOf(token), clientId });
    if (isIssued) await this.tokens.revoke(token);
  }

  /** Describes the current state of a token (RFC 7662). Rejects with `invalid_client`. */
  async introspect({ client, token }: TokenManagementRequest): Promise<IntrospectionResponse> {
    const { clientId } = await this.clients.authenticate(client);
    return (
      (await this.accessToken(token, clientId)) ?? (await this.refreshToken(token, clientId)) ?? INACTIVE
    );
  }

  private async accessToken(token: string, clientId: string): Promise<IntrospectionResponse | undefined> {
    const tokenHash = digestOf(token);
    const row = await this.issued.findOneBy({ tokenHash, clientId });
    if (row === null) return undefined;
    const credential = (await this.credentials.findTokens([tokenHash])).get(tokenHash);
    if (credential === undefined || credential.expiresAtMs <= Date.now()) return INACTIVE;
    const { answer: principal } = credential;
    return {
      active: true,
      scope: [...principal.scopes].join(' '),
      client_id: clientId,
      ...(principal.kind === 'user' && { username: principal.id }),
      token_type: 'Bearer',
      exp: secondsOf(row.expiresAt),
      iat: secondsOf(row.issuedAt),
      sub: principal.key,
      iss: this.config.publicUrl,
    };
  }

  private async refreshToken(token: string, clientId: string): Promise<IntrospectionResponse | undefined> {
    const grant = await this.grants.findByRefreshToken(token);
    if (grant?.clientId !== clientId) return undefined;
    return {
      active: true,
      scope: grant.scopes.join(' '),
      client_id: clientId,
      username: grant.username,
      exp: secondsOf(grant.expiresAt),
      sub: principalKeyOf(grant),
      iss: this.config.publicUrl,
    };
  }
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
