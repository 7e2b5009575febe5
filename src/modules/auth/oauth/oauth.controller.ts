import { Body, Controller, Header, HttpCode, Post, Req, UseFilters } from '@nestjs/common';
import { ApiBody, ApiDefaultResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Audited } from '../../../kit/audit/audited.js';
import { INVALID_CLIENT } from '../errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { FormBody } from '../../../kit/http/body-policy.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { OAuthErrorFilter } from './oauth-error.filter.js';
import {
  IntrospectionResponse,
  OAuthErrorResponse,
  StandardTokenRequestDto,
  StandardTokenResponse,
  TokenManagementRequestDto,
} from './oauth.dto.js';
import { TokenEndpoint } from './token-endpoint.js';
import { readStandardTokenRequest } from './token-request.js';

const FAILURE = { type: OAuthErrorResponse, description: 'Any failure, as RFC 6749 (5.2) words it.' };

/** The endpoints that OAuth's own documents define, for clients that were written against those. */
@ApiTags('Auth')
@ApiErrors(INVALID_CLIENT)
@Public({ basic: 'client' })
@UseFilters(OAuthErrorFilter)
@Controller('oauth')
export class OAuthController {
  constructor(private readonly endpoint: TokenEndpoint) {}

  /**
   * Get an access token (RFC 6749)
   * @remarks By `client_credentials`, `authorization_code` with PKCE, or `refresh_token`. A client with a
   * secret proves itself by `client_id` and `client_secret` in the form, or by HTTP Basic; one without sends
   * its `client_id`.
   */
  @Post('token')
  @HttpCode(200)
  @Audited({ sometimes: true })
  @FormBody()
  @Header('Cache-Control', 'no-store')
  @ApiBody({ type: StandardTokenRequestDto })
  @ApiOkResponse({ type: StandardTokenResponse })
  @ApiDefaultResponse(FAILURE)
  token(@Body() form: unknown, @Req() request: Request): Promise<StandardTokenResponse> {
    return this.endpoint.issue(request, () => readStandardTokenRequest(form, request.headers.authorization));
  }

  /**
   * Revoke a token (RFC 7009)
   * @remarks A refresh token takes with it all that came from the same grant. A token that is unknown, or
   * that another client was issued, is answered the same.
   */
  @Post('revoke')
  @HttpCode(200)
  @Audited({ sometimes: true })
  @FormBody()
  @Header('Cache-Control', 'no-store')
  @ApiBody({ type: TokenManagementRequestDto })
  @ApiOkResponse({
    description: 'The token does not work, or no longer: the status says it all, the object is empty.',
    schema: { type: 'object' },
  })
  @ApiDefaultResponse(FAILURE)
  async revoke(@Body() _form: unknown, @Req() request: Request): Promise<object> {
    await this.endpoint.revoke(request);
    return {};
  }

  /**
   * Ask what a token is good for (RFC 7662)
   * @remarks For clients with a secret, about tokens that they were issued.
   */
  @Post('introspect')
  @HttpCode(200)
  @FormBody()
  @Header('Cache-Control', 'no-store')
  @ApiBody({ type: TokenManagementRequestDto })
  @ApiOkResponse({ type: IntrospectionResponse })
  @ApiDefaultResponse(FAILURE)
  introspect(@Body() _form: unknown, @Req() request: Request): Promise<IntrospectionResponse> {
    return this.endpoint.introspect(request);
  }
}
