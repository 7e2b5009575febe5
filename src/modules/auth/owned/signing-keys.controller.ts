import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../kit/audit/audited.js';
import {
  VALIDATION_FAILED,
  CONFLICT,
  INSUFFICIENT_SCOPE,
  FORBIDDEN,
  NOT_FOUND,
} from '../../../kit/http/error-codes.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { ApiPageResponse, PageQueryDto, type Page } from '../../../kit/http/pagination.js';
import { Authenticated } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { needsStepUp } from '../../../kit/security/step-up.js';
import { OwnedSigningKeysService } from './owned-signing-keys.service.js';
import { CreateSigningKeyDto, RotateSigningKeyDto, SigningKeyDto } from './signing-key.dto.js';

const NOT_ALLOWED = FORBIDDEN.means('it takes the session of a logged-in user.');
const OF_SCOPES = [
  INSUFFICIENT_SCOPE.means('more than the session has.'),
  needsStepUp('For scopes that move money.'),
] as const;
const NO_KEY = NOT_FOUND.means('there is no such key of one’s own.');

/** Signing keys of one's own. */
@ApiTags('Auth')
@Authenticated({ callers: 'logged_in_users' })
@Controller('auth/signing-keys')
export class SigningKeysController {
  constructor(private readonly keys: OwnedSigningKeysService) {}

  /**
   * Add a signing key
   * @remarks Requests that are signed with its private half by RFC 9421 act on the account of the user who adds it. The
   * service never has that half.
   */
  @Post()
  @Audited()
  @Idempotent()
  @ApiErrors(
    VALIDATION_FAILED,
    NOT_ALLOWED,
    ...OF_SCOPES,
    REFUSALS.account_not_found.means('no trading account of one’s own.'),
    CONFLICT.means('there are 50 already.'),
  )
  create(
    @CurrentPrincipal() principal: Principal,
    @Body() body: CreateSigningKeyDto,
  ): Promise<SigningKeyDto> {
    return this.keys.create(principal, body);
  }

  /**
   * List one’s own signing keys
   * @remarks Newest first.
   */
  @Get()
  @ApiPageResponse(SigningKeyDto)
  @ApiErrors(NOT_ALLOWED)
  list(@CurrentPrincipal() principal: Principal, @Query() query: PageQueryDto): Promise<Page<SigningKeyDto>> {
    return this.keys.list(principal, query);
  }

  /**
   * Rotate a signing key
   * @remarks The id stays; signatures with the former private half pass until `previous_expires_at`. A second rotation
   * before that ends the oldest at once.
   */
  @Post(':signing_key_id/rotate')
  @HttpCode(200)
  @Audited()
  @ApiErrors(
    VALIDATION_FAILED,
    NOT_ALLOWED,
    ...OF_SCOPES,
    NO_KEY,
    CONFLICT.means('the key has expired, or has this public half.'),
  )
  rotate(
    @CurrentPrincipal() principal: Principal,
    @Param('signing_key_id') keyId: string,
    @Body() body: RotateSigningKeyDto,
  ): Promise<SigningKeyDto> {
    return this.keys.rotate(principal, keyId, body);
  }

  /**
   * Delete a signing key
   * @remarks Its signatures are refused at once.
   */
  @Delete(':signing_key_id')
  @HttpCode(204)
  @Audited()
  @ApiNoContentResponse({ description: 'The key is deleted.' })
  @ApiErrors(NOT_ALLOWED, NO_KEY)
  remove(@CurrentPrincipal() principal: Principal, @Param('signing_key_id') keyId: string): Promise<void> {
    return this.keys.delete(principal, keyId);
  }
}
