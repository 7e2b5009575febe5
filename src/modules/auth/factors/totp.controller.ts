import { Body, Controller, Delete, Get, Header, HttpCode, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../kit/audit/audited.js';
import { CONFLICT, VALIDATION_FAILED, RATE_LIMITED, FORBIDDEN } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Authenticated } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { NEEDS_STEP_UP } from '../../../kit/security/step-up.js';
import { ConfirmTotpDto, type RecoveryCodesDto, type TotpDto, type TotpSecretDto } from './totp.dto.js';
import { TotpFactors } from './totp.service.js';

const NOT_ALLOWED = FORBIDDEN.means('it takes the session of a logged-in user.');

/** One's authenticator app, whose codes (RFC 6238) log-ins ask for. */
@ApiTags('Users')
@Authenticated({ callers: 'logged_in_users' })
@Controller('user/totp')
export class TotpController {
  constructor(private readonly factors: TotpFactors) {}

  /** Tell whether you have an authenticator app */
  @Get()
  @ApiErrors(NOT_ALLOWED)
  get(@CurrentPrincipal() principal: Principal): Promise<TotpDto> {
    return this.factors.get(principal);
  }

  /**
   * Begin with an authenticator app
   * @remarks Answers a secret for it, which counts once a first code of the app has come to `/user/totp/confirm`. Until
   * then another call replaces it.
   */
  @Post()
  @Audited()
  @Header('Cache-Control', 'no-store')
  @ApiErrors(NOT_ALLOWED, NEEDS_STEP_UP, CONFLICT.means('there is an app already.'))
  begin(@CurrentPrincipal() principal: Principal): Promise<TotpSecretDto> {
    return this.factors.begin(principal);
  }

  /**
   * Confirm an authenticator app
   * @remarks From then on log-ins need a code of it, or one of the recovery codes that this answers, each of them once.
   */
  @Post('confirm')
  @HttpCode(200)
  @Audited()
  @Header('Cache-Control', 'no-store')
  @ApiErrors(
    VALIDATION_FAILED.means('the code is wrong, too.'),
    NOT_ALLOWED,
    NEEDS_STEP_UP,
    CONFLICT.means('there is an app already, or nothing to confirm.'),
    RATE_LIMITED.means('too many wrong codes.'),
  )
  confirm(@CurrentPrincipal() principal: Principal, @Body() body: ConfirmTotpDto): Promise<RecoveryCodesDto> {
    return this.factors.confirm(principal, body.code);
  }

  /**
   * Renew your recovery codes
   * @remarks They stand for the app or a passkey. Those that are left are good no more.
   */
  @Post('recovery-codes')
  @HttpCode(200)
  @Audited()
  @Header('Cache-Control', 'no-store')
  @ApiErrors(NOT_ALLOWED, NEEDS_STEP_UP, CONFLICT.means('there is neither an app nor a passkey.'))
  renewCodes(@CurrentPrincipal() principal: Principal): Promise<RecoveryCodesDto> {
    return this.factors.renewCodes(principal);
  }

  /**
   * Remove your authenticator app
   * @remarks The recovery codes go with the last second factor. Operators keep one where they need it.
   */
  @Delete()
  @HttpCode(204)
  @Audited()
  @ApiNoContentResponse({ description: 'There is no app any more.' })
  @ApiErrors(
    NOT_ALLOWED,
    NEEDS_STEP_UP,
    CONFLICT.means('operators need a second factor, and this is the last.'),
  )
  remove(@CurrentPrincipal() principal: Principal): Promise<void> {
    return this.factors.remove(principal);
  }
}
