import { Body, Controller, Header, HttpCode, Post, Req } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import type { Request } from 'express';
import { Audited } from '../../../kit/audit/audited.js';
import { FORBIDDEN, CONFLICT, VALIDATION_FAILED, RATE_LIMITED } from '../../../kit/http/error-codes.js';
import { SECOND_FACTOR_REQUIRED } from '../errors.js';
import { INVALID_CREDENTIALS } from '../../users/errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { RateLimitedAs } from '../../../kit/rate-limit/rate-limit.guard.js';
import { RateLimits } from '../../../kit/rate-limit/rate-limits.js';
import { Authenticated } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { OPTIONS_SCHEMA } from '../passkeys/passkey.dto.js';
import { StepUpDto } from './step-up.dto.js';
import { StepUps } from './step-up.service.js';

@ApiTags('Users')
@Authenticated({ callers: 'logged_in_users' })
@Controller('user')
export class StepUpController {
  constructor(
    private readonly stepUps: StepUps,
    private readonly limits: RateLimits,
  ) {}

  /**
   * Ask a passkey for a proof
   * @remarks Answers WebAuthn's `PublicKeyCredentialRequestOptionsJSON` for `navigator.credentials.get()`. What the passkey
   * signs goes to `POST /user/step-up`, within five minutes and by the same session.
   */
  @Post('step-up/options')
  @HttpCode(200)
  @RateLimitedAs('passkey_challenges')
  @Header('Cache-Control', 'no-store')
  @ApiOkResponse({ schema: OPTIONS_SCHEMA, description: 'For the browser.' })
  @ApiErrors(
    FORBIDDEN.means('it takes the session of a logged-in user.'),
    CONFLICT.means('the user has no passkey.'),
  )
  ask(@CurrentPrincipal() principal: Principal): Promise<PublicKeyCredentialRequestOptionsJSON> {
    return this.stepUps.ask(principal);
  }

  /**
   * Prove to be there
   * @remarks For what answers `step_up_required`: for five minutes the session may do it. Who has a second factor sends a
   * code of the authenticator app, a recovery code or what a passkey signed; others the password. A log-in does the same.
   */
  @Post('step-up')
  @HttpCode(204)
  @Audited()
  @ApiNoContentResponse({ description: 'Proved.' })
  @ApiErrors(
    VALIDATION_FAILED,
    INVALID_CREDENTIALS.means('this is not the password.'),
    SECOND_FACTOR_REQUIRED.means('the user has a second factor, and none came, or a wrong one.'),
    FORBIDDEN.means('it takes the session of a logged-in user.'),
    CONFLICT.means('the user logs in by an identity elsewhere, and has neither.'),
    RATE_LIMITED.means('too many failures.'),
  )
  prove(
    @CurrentPrincipal() principal: Principal,
    @Body() body: StepUpDto,
    @Req() request: Request,
  ): Promise<void> {
    return this.stepUps.prove(principal, body, this.limits.addressBucketOf(request));
  }
}
