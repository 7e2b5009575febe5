import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ScopeCatalogue } from '../../../kit/security/scope.js';
import { CONSOLE_CLIENT_ID } from '../../../kit/security/principal.js';
import { OAuthClientsService } from './oauth-clients.service.js';

/**
 * The client of the service's own console: public, by code and PKCE, with every scope that its user has. Users are not
 * asked for consent, since it is served from where they type their password.
 */
@Injectable()
export class ConsoleClient implements OnApplicationBootstrap {
  constructor(
    private readonly clients: OAuthClientsService,
    private readonly scopes: ScopeCatalogue,
  ) {}

  /** Plugins may have added scopes since the last start. */
  async onApplicationBootstrap(): Promise<void> {
    await this.clients.keep({
      clientId: CONSOLE_CLIENT_ID,
      name: 'Tradepost console',
      secret: null,
      grantTypes: ['authorization_code', 'refresh_token'],
      redirectUris: ['/console/callback'],
      scopes: this.scopes.all,
    });
  }
}
