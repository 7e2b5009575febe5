import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { ScopeCatalogue } from '../../../kit/security/scope.js';
import { AuthorizationServerMetadata } from './oauth.dto.js';
import { TOKEN_GRANTS } from './authorization-server.js';

/** How a client with a secret proves itself; one without has nothing to prove itself with. */
const PROVING = ['client_secret_basic', 'client_secret_post'] as const;

@ApiTags('Auth')
@Public()
@Controller('.well-known')
export class OauthAuthorizationServerController {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly scopes: ScopeCatalogue,
  ) {}

  /** What the authorization server offers, and where (RFC 8414) */
  @Get('oauth-authorization-server')
  @Header('Cache-Control', 'public, max-age=300')
  metadata(): AuthorizationServerMetadata {
    const issuer = this.config.publicUrl;
    return {
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      token_endpoint_auth_methods_supported: [...PROVING, 'none'],
      revocation_endpoint: `${issuer}/oauth/revoke`,
      revocation_endpoint_auth_methods_supported: [...PROVING, 'none'],
      introspection_endpoint: `${issuer}/oauth/introspect`,
      introspection_endpoint_auth_methods_supported: [...PROVING],
      grant_types_supported: [...TOKEN_GRANTS, 'implicit'],
      response_types_supported: ['code', 'token'],
      response_modes_supported: ['query', 'fragment'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      scopes_supported: [...this.scopes.all],
      service_documentation: `${issuer}/docs`,
    };
  }
}
