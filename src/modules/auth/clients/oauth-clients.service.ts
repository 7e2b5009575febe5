import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Scope } from '../../../platform/security/scopes.js';
import { ClientSecrets } from './client-secrets.js';
import { OAuthClientEntity, type GrantType } from './oauth-client.entity.js';

export interface NewOAuthClient {
  readonly clientId: string;
  readonly name: string;
  /** A secret that somebody chose; null for a public client. */
  readonly secret: string | null;
  readonly grantTypes: readonly GrantType[];
  readonly redirectUris: readonly string[];
  readonly scopes: readonly Scope[];
}

/** The programs that may get access tokens. */
@Injectable()
export class OAuthClientsService {
  constructor(
    @InjectRepository(OAuthClientEntity) private readonly clients: Repository<OAuthClientEntity>,
    private readonly secrets: ClientSecrets,
  ) {}

  find(clientId: string): Promise<OAuthClientEntity | null> {
    return this.clients.findOneBy({ clientId });
  }

  /** Registers a client that acts on accounts of its own, unless its id is taken. */
  async ensure({ secret, ...client }: NewOAuthClient): Promise<void> {
    if (await this.clients.existsBy({ clientId: client.clientId })) return;
    await this.clients.insert({
      ...client,
      grantTypes: [...client.grantTypes],
      redirectUris: [...client.redirectUris],
      scopes: [...client.scopes],
      secretHash: secret === null ? null : await this.secrets.hashChosen(secret),
      ownerUserId: null,
      accountOwner: clientKeyOf(client.clientId),
    });
  }
}

/** The key of a client among all principals. */
export function clientKeyOf(clientId: string): string {
  return `client:${clientId}`;
}
