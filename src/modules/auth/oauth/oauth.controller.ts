import { Body, Controller, Header, HttpCode, Post, Req, UseFilters } from '@nestjs/common';
import { ApiBody, ApiDefaultResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { FormBody } from '../../../platform/http/body/body-policy.js';
import { Public } from '../../../platform/security/credentials.js';
import { OAuthErrorFilter } from './oauth-error.filter.js';
import { OAuthErrorResponse, StandardTokenRequestDto, TokenResponse } from './oauth.dto.js';
import { TokenEndpoint } from './token-endpoint.js';
import { readStandardTokenRequest } from './token-request.js';

/** The endpoints that OAuth's own documents define, for clients that were written against those. */
@ApiTags('Auth')
@UseFilters(OAuthErrorFilter)
@Controller('oauth')
export class OAuthController {
  constructor(private readonly endpoint: TokenEndpoint) {}

  @Post('token')
  @HttpCode(200)
  @Public()
  @FormBody()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Get an access token (RFC 6749)',
    description: 'The client proves itself by `client_id` and `client_secret` in the form, or by HTTP Basic.',
  })
  @ApiBody({ type: StandardTokenRequestDto })
  @ApiOkResponse({ type: TokenResponse })
  @ApiDefaultResponse({ type: OAuthErrorResponse, description: 'Any failure, as RFC 6749 (5.2) words it.' })
  token(@Body() form: unknown, @Req() request: Request): Promise<TokenResponse> {
    return this.endpoint.answer(request, () => readStandardTokenRequest(form, request.headers.authorization));
  }
}
