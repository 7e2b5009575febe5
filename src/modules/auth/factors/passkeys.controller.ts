import { Body, Controller, Delete, Get, Header, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import { Audited } from '../../../kit/audit/audited.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiPageResponse, PageQueryDto, type Page } from '../../../kit/http/pagination.js';
import { RateLimitedAs } from '../../../kit/rate-limit/rate-limit.guard.js';
import { Authenticated } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { NEEDS_STEP_UP } from '../../../kit/security/step-up.js';
import {
  VALIDATION_FAILED,
  CONFLICT,
  INVALID_CURSOR,
  NOT_FOUND,
  FORBIDDEN,
} from '../../../kit/http/error-codes.js';
import {
  CreatedPasskeyDto,
  CreatePasskeyDto,
  OPTIONS_SCHEMA,
  PasskeyDto,
  RenamePasskeyDto,
} from '../passkeys/passkey.dto.js';
import { Passkeys } from './passkeys.service.js';

const NOT_ALLOWED = FORBIDDEN.means('it takes the session of a logged-in user.');
const TOO_MANY = CONFLICT.means('there are 20 already.');

/** One's passkeys (WebAuthn), which log in without a password, and are second factors beside it. */
@ApiTags('Users')
@Authenticated({ callers: 'logged_in_users' })
@Controller('user/passkeys')
export class PasskeysController {
  constructor(private readonly passkeys: Passkeys) {}

  /**
   * Begin with a passkey
   * @remarks Answers WebAuthn's `PublicKeyCredentialCreationOptionsJSON` for `navigator.credentials.create()`. What the
   * browser makes of it goes to `POST /user/passkeys`, within five minutes and by the same session.
   */
  @Post('options')
  @HttpCode(200)
  @RateLimitedAs('passkey_challenges')
  @Header('Cache-Control', 'no-store')
  @ApiOkResponse({ schema: OPTIONS_SCHEMA, description: 'For the browser.' })
  @ApiErrors(NOT_ALLOWED, NEEDS_STEP_UP, TOO_MANY)
  begin(@CurrentPrincipal() principal: Principal): Promise<PublicKeyCredentialCreationOptionsJSON> {
    return this.passkeys.begin(principal);
  }

  /**
   * Register a passkey
   * @remarks From then on it logs in, and the password alone does not any more. Who had no second factor gets recovery codes,
   * shown this once.
   */
  @Post()
  @Audited()
  @Header('Cache-Control', 'no-store')
  @ApiErrors(
    VALIDATION_FAILED.means('the response proves no passkey, too.'),
    NOT_ALLOWED,
    NEEDS_STEP_UP,
    CONFLICT.means('it is registered already, or there are 20.'),
  )
  create(
    @CurrentPrincipal() principal: Principal,
    @Body() body: CreatePasskeyDto,
  ): Promise<CreatedPasskeyDto> {
    return this.passkeys.create(principal, body);
  }

  /** List your passkeys */
  @Get()
  @ApiPageResponse(PasskeyDto)
  @ApiErrors(INVALID_CURSOR, NOT_ALLOWED)
  list(@CurrentPrincipal() principal: Principal, @Query() page: PageQueryDto): Promise<Page<PasskeyDto>> {
    return this.passkeys.list(principal, page);
  }

  /** Rename a passkey */
  @Patch(':passkey_id')
  @ApiErrors(VALIDATION_FAILED, NOT_ALLOWED, NOT_FOUND)
  rename(
    @CurrentPrincipal() principal: Principal,
    @Param('passkey_id') passkeyId: string,
    @Body() { name }: RenamePasskeyDto,
  ): Promise<PasskeyDto> {
    return this.passkeys.rename(principal, passkeyId, name);
  }

  /**
   * Remove a passkey
   * @remarks It is refused from then on. The recovery codes go with the last second factor. Operators keep one where they
   * need it.
   */
  @Delete(':passkey_id')
  @HttpCode(204)
  @Audited()
  @ApiNoContentResponse({ description: 'It is removed.' })
  @ApiErrors(
    NOT_ALLOWED,
    NEEDS_STEP_UP,
    NOT_FOUND,
    CONFLICT.means('operators need a second factor, and this is the last.'),
  )
  remove(@CurrentPrincipal() principal: Principal, @Param('passkey_id') passkeyId: string): Promise<void> {
    return this.passkeys.remove(principal, passkeyId);
  }
}
