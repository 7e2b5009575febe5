import { Injectable } from '@nestjs/common';
import { ClientSecrets } from '../clients/client-secrets.js';
import type { OAuthClientEntity } from '../clients/oauth-client.entity.js';
import { OAuthClientsService } from '../clients/oauth-clients.service.js';
import { invalidClient, type ClientCredentials } from './token-request.js';

/** Authenticates clients at the token endpoints. */
@Injectable()
export class ClientAuthentication {
  constructor(
    private readonly clients: OAuthClientsService,
    private readonly secrets: ClientSecrets,
  ) {}

  /**
   * The client that authenticated by its secret, or a public client. Rejects with `invalid_client`, and with
   * `rate_limited` if too many clients authenticate at once.
   */
  async identify({ clientId, clientSecret }: ClientCredentials): Promise<OAuthClientEntity> {
    const client = await this.clients.find(clientId);
    if (client === null) throw invalidClient();
    if (client.secretHash === null) return client;
    if (clientSecret === undefined) throw invalidClient();
    if (!(await this.secrets.verify(client.secretHash, clientSecret))) throw invalidClient();
    return client;
  }

  /** As `identify`, but only for confidential clients. */
  async authenticate(credentials: ClientCredentials): Promise<OAuthClientEntity> {
    const client = await this.identify(credentials);
    if (client.secretHash === null) throw invalidClient();
    return client;
  }
}
