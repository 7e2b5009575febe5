import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { ClientOwners } from '../../accounts/owners/client-owners.js';
import { UserEntity, UserStatus } from '../../users/user.entity.js';
import { ClientSecrets } from './client-secrets.js';
import { OAuthClientEntity, type GrantType } from './oauth-client.entity.js';

export interface NewOAuthClient {
  readonly clientId: string;
  readonly name: string;
  /** A chosen secret; null for a public client. */
  readonly secret: string | null;
  readonly grantTypes: readonly GrantType[];
  /** URLs, or paths below `PUBLIC_URL`. */
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
}

type ClientRow = Omit<OAuthClientEntity, 'prefix' | 'lastUsedAt' | 'createdAt'>;

/** Manages client applications. */
@Injectable()
export class OAuthClientsService extends ClientOwners {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectRepository(OAuthClientEntity) private readonly clients: Repository<OAuthClientEntity>,
    private readonly secrets: ClientSecrets,
  ) {
    super();
  }

  /** An active client; null if it is unknown or its owner is locked or closed. */
  async find(clientId: string): Promise<OAuthClientEntity | null> {
    const client = await this.clients
      .createQueryBuilder('client')
      .leftJoin(UserEntity, 'owner', 'owner.user_id = client.owner_user_id')
      .where('client.client_id = :clientId', { clientId })
      .andWhere('coalesce(owner.user_status, :active) = :active', { active: UserStatus.active })
      .getOne();
    if (client !== null) client.redirectUris = client.redirectUris.map((uri) => this.absolute(uri));
    return client;
  }

  override async accountOwnerOf(clientId: string): Promise<string | undefined> {
    return (await this.find(clientId))?.accountOwner;
  }

  /** Registers a client with accounts of its own, unless the id is taken. */
  async ensure(client: NewOAuthClient): Promise<void> {
    if (await this.clients.existsBy({ clientId: client.clientId })) return;
    await this.clients.insert(await this.rowOf(client));
  }

  /** Registers a client as `ensure` does; one that exists becomes as it is given. */
  async keep(client: NewOAuthClient): Promise<void> {
    await this.clients.upsert(await this.rowOf(client), {
      conflictPaths: ['clientId'],
      skipUpdateIfNoValuesChanged: true,
    });
  }

  private async rowOf({ secret, ...client }: NewOAuthClient): Promise<ClientRow> {
    return {
      ...client,
      grantTypes: [...client.grantTypes],
      redirectUris: [...client.redirectUris],
      scopes: [...client.scopes],
      secretHash: secret === null ? null : await this.secrets.hashChosen(secret),
      ownerUserId: null,
      accountOwner: clientKeyOf(client.clientId),
    };
  }

  /**
   * Paths of the service's own clients are resolved against the current `PUBLIC_URL`; users' clients have only URLs.
   */
  private absolute(redirectUri: string): string {
    return redirectUri.startsWith('/') ? `${this.config.publicUrl}${redirectUri}` : redirectUri;
  }
}

/** The principal key of a client. */
export function clientKeyOf(clientId: string): string {
  return `client:${clientId}`;
}
