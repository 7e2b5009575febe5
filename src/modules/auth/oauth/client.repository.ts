import {
  OAuthException,
  type GrantIdentifier,
  type OAuthClient,
  type OAuthClientRepository,
} from '@jmondi/oauth2-server';
import { Injectable } from '@nestjs/common';
import { ClientSecrets } from '../clients/client-secrets.js';
import type { OAuthClientEntity } from '../clients/oauth-client.entity.js';
import { OAuthClientsService } from '../clients/oauth-clients.service.js';

/** Adapts our clients to the library. */
@Injectable()
export class ClientRepository implements OAuthClientRepository {
  constructor(
    private readonly clients: OAuthClientsService,
    private readonly secrets: ClientSecrets,
  ) {}

  async getByIdentifier(clientId: string): Promise<OAuthClient> {
    const client = await this.clients.find(clientId);
    if (!client) throw OAuthException.invalidClient();
    return libraryClientOf(client);
  }

  /** Whether the client authenticated. Throws `unauthorized_client` for an authenticated client without the grant. */
  async isClientValid(grant: GrantIdentifier, client: OAuthClient, presented?: string): Promise<boolean> {
    const isPublic = client.secret == null;
    if (!isPublic && !(await this.secrets.verify(String(client.secret), presented ?? ''))) return false;
    // RFC 6749, 4.4: a public client cannot act in its own name.
    if ((isPublic && grant === 'client_credentials') || !client.allowedGrants.includes(grant)) {
      throw OAuthException.unauthorizedClient();
    }
    return true;
  }
}

function libraryClientOf(client: OAuthClientEntity): OAuthClient {
  return {
    id: client.clientId,
    name: client.name,
    secret: client.secretHash,
    redirectUris: client.redirectUris,
    allowedGrants: client.grantTypes,
    scopes: client.scopes.map((name) => ({ name })),
  };
}
