import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CONFIG, type Config } from '../../../platform/config/config.js';
import { Public } from '../../../platform/security/credentials.js';
import { SCOPES } from '../../../platform/security/scopes.js';
import { AuthorizationServerMetadata } from './oauth.dto.js';
import { TOKEN_GRANTS } from './token-issuer.js';

@ApiTags('Auth')
@Public()
@Controller('.well-known')
export class MetadataController {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  @Get('oauth-authorization-server')
  @ApiOperation({ summary: 'What the authorization server offers, and where (RFC 8414)' })
  @Header('Cache-Control', 'public, max-age=300')
  metadata(): AuthorizationServerMetadata {
    const issuer = this.config.publicUrl;
    return {
      issuer,
      token_endpoint: `${issuer}/oauth/token`,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      grant_types_supported: [...TOKEN_GRANTS],
      // The standard demands the member; no flow that has response types is offered yet.
      response_types_supported: [],
      scopes_supported: Object.keys(SCOPES),
      service_documentation: `${issuer}/docs`,
    };
  }
}
