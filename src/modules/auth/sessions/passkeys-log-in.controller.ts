import { Body, Controller, Header, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import type { Request } from 'express';
import { Audited } from '../../../kit/audit/audited.js';
import { RATE_LIMITED, VALIDATION_FAILED } from '../../../kit/http/error-codes.js';
import { INVALID_CREDENTIALS, USER_LOCKED } from '../../users/errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { RateLimitedAs } from '../../../kit/rate-limit/rate-limit.guard.js';
import { RateLimits } from '../../../kit/rate-limit/rate-limits.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { logInUse } from '../passkeys/passkey-login.js';
import { PasskeyProofs } from '../passkeys/passkey-proofs.js';
import { OPTIONS_SCHEMA, PasskeyLogInDto } from '../passkeys/passkey.dto.js';
import { sessionOriginOf } from '../../../kit/http/session-origin.js';
import { StartedSessionDto, toStartedSessionDto } from './started-session.dto.js';
import { SessionsService } from './sessions.service.js';

/** The log-in without a password. */
@ApiTags('Users')
@Public()
@Controller('user/passkeys/log-in')
export class PasskeysLogInController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly proofs: PasskeyProofs,
    private readonly limits: RateLimits,
  ) {}

  /**
   * Ask for a log-in by passkey
   * @remarks Answers WebAuthn's `PublicKeyCredentialRequestOptionsJSON` for `navigator.credentials.get()`. It names no
   * passkeys: the browser offers those that it has for this host.
   */
  @Post('options')
  @HttpCode(200)
  @RateLimitedAs('passkey_challenges')
  @Header('Cache-Control', 'no-store')
  @ApiOkResponse({ schema: OPTIONS_SCHEMA, description: 'For the browser.' })
  @ApiErrors(RATE_LIMITED)
  ask(): Promise<PublicKeyCredentialRequestOptionsJSON> {
    return this.proofs.ask(logInUse(null));
  }

  /**
   * Log a user in by passkey
   * @remarks Answers an access token for 12 hours, with every scope that the user may have.
   */
  @Post()
  @HttpCode(200)
  @Audited()
  @Header('Cache-Control', 'no-store')
  @ApiErrors(
    VALIDATION_FAILED,
    INVALID_CREDENTIALS.means('nobody has this passkey, or it signed something else, or too long ago.'),
    USER_LOCKED.means('told only for the right passkey.'),
    RATE_LIMITED.means('too many failures.'),
  )
  async logIn(@Body() { response }: PasskeyLogInDto, @Req() request: Request): Promise<StartedSessionDto> {
    const addressBucket = this.limits.addressBucketOf(request);
    return toStartedSessionDto(
      await this.sessions.startByPasskey(response, addressBucket, sessionOriginOf(request)),
    );
  }
}
