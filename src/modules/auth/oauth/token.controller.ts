import { Body, Controller, Header, HttpCode, Post, Req, UseFilters } from '@nestjs/common';
import { ApiBadRequestResponse, ApiBody, ApiTags, ApiUnauthorizedResponse } from '@nestjs/swagger';
import type { Request } from 'express';
import { FormBody } from '../../../platform/http/body/body-policy.js';
import { Public } from '../../../platform/security/credentials.js';
import { OAuthErrorFilter } from './oauth-error.filter.js';
import { OAuthErrorResponse, TokenRequestDto, TokenResponse } from './oauth.dto.js';
import { TokenEndpoint } from './token-endpoint.js';
import { readHouseTokenRequest, readStandardTokenRequest } from './token-request.js';

@ApiTags('Auth')
@Public()
@Controller()
export class TokenController {
  constructor(private readonly endpoint: TokenEndpoint) {}

  /**
   * Get an access token by client credentials. Failures come in the envelope, with the codes of RFC 6749.
   */
  @Post('auth/token')
  @HttpCode(200)
  @FormBody()
  @ApiBody({ type: TokenRequestDto })
  @Header('Cache-Control', 'no-store')
  houseToken(@Body() form: unknown, @Req() request: Request): Promise<TokenResponse> {
    return this.endpoint.answer(request, () => readHouseTokenRequest(form));
  }

  /**
   * The standard token endpoint (RFC 6749): the client proves itself by form fields or by HTTP Basic.
   */
  @Post('oauth/token')
  @HttpCode(200)
  @FormBody()
  @UseFilters(OAuthErrorFilter)
  @ApiBody({ type: TokenRequestDto })
  @ApiBadRequestResponse({ type: OAuthErrorResponse })
  @ApiUnauthorizedResponse({ type: OAuthErrorResponse })
  @Header('Cache-Control', 'no-store')
  standardToken(@Body() form: unknown, @Req() request: Request): Promise<TokenResponse> {
    return this.endpoint.answer(request, () => readStandardTokenRequest(form, request.headers.authorization));
  }
}
