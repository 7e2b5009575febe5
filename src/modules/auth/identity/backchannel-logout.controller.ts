import { Body, Controller, Header, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../kit/audit/audited.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { FormBody } from '../../../kit/http/body-policy.js';
import { INVALID_REQUEST, NOT_FOUND, TEMPORARILY_UNAVAILABLE } from '../../../kit/http/error-codes.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { BackchannelLogoutDto } from './backchannel-logout.dto.js';
import { IdentityLogouts } from './identity-logouts.js';

/** What a provider of identities tells the service by itself. */
@ApiTags('Auth')
@Public()
@Controller('oauth/backchannel-logout')
export class BackchannelLogoutController {
  constructor(private readonly logouts: IdentityLogouts) {}

  /**
   * Take a log-out at an identity provider (OpenID Connect Back-Channel Logout)
   * @remarks For the provider that users log in by: `oidc` is that of `OIDC_ISSUER`. Its logout token proves itself. The session
   * that it names ends with its tokens; where it names a user alone, so do all sessions and grants of that user.
   */
  @Post(':provider')
  @HttpCode(200)
  @Audited({ sometimes: true })
  @FormBody()
  @Header('Cache-Control', 'no-store')
  @ApiParam({
    name: 'provider',
    schema: { type: 'string', pattern: '^[a-z][a-z0-9]{0,30}$', example: 'oidc' },
  })
  @ApiBody({ type: BackchannelLogoutDto })
  @ApiOkResponse({ description: 'Taken.' })
  @ApiErrors(
    INVALID_REQUEST.means('this is no logout token of the provider, it is too old, or it came before.'),
    NOT_FOUND.means('there is no such provider.'),
    TEMPORARILY_UNAVAILABLE.means('the keys of the provider cannot be had.'),
  )
  take(@Param('provider') provider: string, @Body() form: unknown): Promise<void> {
    const { logout_token: token } = (form ?? {}) as Readonly<Record<string, unknown>>;
    return this.logouts.take(provider, token);
  }
}
