import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../kit/audit/audited.js';
import {
  CONFLICT,
  UNPROCESSABLE,
  RATE_LIMITED,
  VALIDATION_FAILED,
  FORBIDDEN,
} from '../../../kit/http/error-codes.js';
import { INVALID_GRANT } from '../errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Authenticated, Public } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { NEEDS_STEP_UP } from '../../../kit/security/step-up.js';
import { EmailDto, VerifyEmailDto } from './email.dto.js';
import { EmailVerifications } from './email-verifications.service.js';

const NOT_ALLOWED = FORBIDDEN.means('it takes the session of a logged-in user.');

/** One's mail address, which resets of the password and news of one’s security go to once it is verified. */
@ApiTags('Users')
@Authenticated({ callers: 'logged_in_users' })
@Controller('user/email')
export class EmailController {
  constructor(private readonly verifications: EmailVerifications) {}

  /**
   * Tell your mail address, and whether it is verified
   * @remarks `PUT /user/{username}` changes it.
   */
  @Get()
  @ApiErrors(NOT_ALLOWED)
  get(@CurrentPrincipal() principal: Principal): Promise<EmailDto> {
    return this.verifications.get(principal);
  }

  /**
   * Send the link that verifies your address
   * @remarks It is good once, for 24 hours, and only the newest is. A change of the address sends one by itself.
   */
  @Post('verification')
  @HttpCode(202)
  @ApiAcceptedResponse({ description: 'A mail is on its way.' })
  @ApiErrors(
    NOT_ALLOWED,
    NEEDS_STEP_UP,
    CONFLICT.means('it is verified already.'),
    UNPROCESSABLE.means('you have no address, or mail cannot go to it.'),
    RATE_LIMITED.means('five an hour.'),
  )
  ask(@CurrentPrincipal() principal: Principal): Promise<void> {
    return this.verifications.ask(principal);
  }

  /**
   * Verify an address
   * @remarks By the token of the link in the mail, whoever sends it.
   */
  @Post('verify')
  @Public()
  @HttpCode(204)
  @Audited()
  @ApiNoContentResponse({ description: 'The address is verified.' })
  @ApiErrors(
    VALIDATION_FAILED,
    INVALID_GRANT.means('the token is wrong, used, older than 24 hours, or of an address that was changed.'),
  )
  verify(@Body() { token }: VerifyEmailDto): Promise<void> {
    return this.verifications.verify(token);
  }
}
