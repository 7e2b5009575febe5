import { Body, Controller, Header, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Audited } from '../../../kit/audit/audited.js';
import { RATE_LIMITED, INVALID_REQUEST } from '../../../kit/http/error-codes.js';
import { INVALID_SCOPE, UNAUTHORIZED_CLIENT, UNSUPPORTED_GRANT_TYPE, INVALID_CLIENT } from '../errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { FormBody } from '../../../kit/http/body-policy.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { TokenRequestDto, TokenResponse } from './oauth.dto.js';
import { TokenEndpoint } from './token-endpoint.js';
import { readHouseTokenRequest } from './token-request.js';

/** The token route of the interface. */
@ApiTags('Auth')
@Controller('auth')
export class AuthController {
  constructor(private readonly endpoint: TokenEndpoint) {}

  /**
   * Get an access token by client credentials
   * @remarks The same tokens as of `/oauth/token`, with failures in the envelope of all other routes.
   */
  @Post('token')
  @HttpCode(200)
  @Public()
  @Audited({ sometimes: true })
  @FormBody()
  @Header('Cache-Control', 'no-store')
  @ApiBody({ type: TokenRequestDto })
  @ApiErrors(
    INVALID_REQUEST,
    INVALID_SCOPE,
    UNAUTHORIZED_CLIENT,
    UNSUPPORTED_GRANT_TYPE,
    INVALID_CLIENT,
    RATE_LIMITED.means('too many failed requests.'),
  )
  token(@Body() form: unknown, @Req() request: Request): Promise<TokenResponse> {
    return this.endpoint.issue(request, () => readHouseTokenRequest(form));
  }
}
