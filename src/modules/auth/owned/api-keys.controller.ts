import { Body, Controller, Delete, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../kit/audit/audited.js';
import {
  VALIDATION_FAILED,
  INSUFFICIENT_SCOPE,
  CONFLICT,
  NOT_FOUND,
  FORBIDDEN,
} from '../../../kit/http/error-codes.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiPageResponse, PageQueryDto, type Page } from '../../../kit/http/pagination.js';
import { Authenticated } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { needsStepUp } from '../../../kit/security/step-up.js';
import { ApiKeyDto, CreateApiKeyDto, CreatedApiKeyDto } from './api-key.dto.js';
import { RotateKeyDto } from './key-terms.dto.js';
import { OwnedApiKeysService } from './owned-api-keys.service.js';

const NOT_ALLOWED = FORBIDDEN.means('it takes the session of a logged-in user.');

/** API keys of one's own. */
@ApiTags('Auth')
@Authenticated({ callers: 'logged_in_users' })
@Controller('auth/api-keys')
export class ApiKeysController {
  constructor(private readonly keys: OwnedApiKeysService) {}

  /**
   * Create an API key
   * @remarks It acts on the accounts of the user who makes it, or on the one that it is bound to. The key is shown this once.
   */
  @Post()
  @Audited()
  @Header('Cache-Control', 'no-store')
  @ApiErrors(
    VALIDATION_FAILED,
    NOT_ALLOWED,
    INSUFFICIENT_SCOPE.means('more than the session has.'),
    needsStepUp('For scopes that move money.'),
    REFUSALS.account_not_found.means('no trading account of one’s own.'),
    CONFLICT.means('there are 50 already.'),
  )
  create(@CurrentPrincipal() principal: Principal, @Body() body: CreateApiKeyDto): Promise<CreatedApiKeyDto> {
    return this.keys.create(principal, body);
  }

  /**
   * List one’s own API keys
   * @remarks Newest first.
   */
  @Get()
  @ApiPageResponse(ApiKeyDto)
  @ApiErrors(NOT_ALLOWED)
  list(@CurrentPrincipal() principal: Principal, @Query() query: PageQueryDto): Promise<Page<ApiKeyDto>> {
    return this.keys.list(principal, query);
  }

  /**
   * Rotate an API key
   * @remarks The id stays, and with it webhooks and Idempotency-Keys; the new key is shown this once. The former one is
   * good until `previous_expires_at`. A second rotation before that ends the oldest at once.
   */
  @Post(':api_key_id/rotate')
  @HttpCode(200)
  @Audited()
  @Header('Cache-Control', 'no-store')
  @ApiErrors(
    VALIDATION_FAILED,
    NOT_ALLOWED,
    INSUFFICIENT_SCOPE.means('more than the session has.'),
    needsStepUp('For scopes that move money.'),
    NOT_FOUND.means('there is no such key of one’s own.'),
    CONFLICT.means('the key has expired.'),
  )
  rotate(
    @CurrentPrincipal() principal: Principal,
    @Param('api_key_id') apiKeyId: string,
    @Body() body: RotateKeyDto,
  ): Promise<CreatedApiKeyDto> {
    return this.keys.rotate(principal, apiKeyId, body);
  }

  /**
   * Delete an API key
   * @remarks It is refused at once.
   */
  @Delete(':api_key_id')
  @HttpCode(204)
  @Audited()
  @ApiNoContentResponse({ description: 'The key is deleted.' })
  @ApiErrors(NOT_ALLOWED, NOT_FOUND.means('there is no such key of one’s own.'))
  remove(@CurrentPrincipal() principal: Principal, @Param('api_key_id') apiKeyId: string): Promise<void> {
    return this.keys.delete(principal, apiKeyId);
  }
}
