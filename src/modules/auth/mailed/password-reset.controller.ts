import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiAcceptedResponse, ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Audited } from '../../../kit/audit/audited.js';
import { VALIDATION_FAILED, RATE_LIMITED, CONFLICT } from '../../../kit/http/error-codes.js';
import { INVALID_GRANT } from '../errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { RateLimits } from '../../../kit/rate-limit/rate-limits.js';
import { Public } from '../../../kit/security/credentials.js';
import { ForgottenPasswords } from './forgotten-passwords.service.js';
import { ForgotPasswordDto, ResetPasswordDto, typedBy } from './password-reset.dto.js';
import { PasswordResets } from './password-resets.service.js';

@ApiTags('Users')
@Public()
@Controller('user/password')
export class PasswordResetController {
  constructor(
    private readonly forgotten: ForgottenPasswords,
    private readonly resets: PasswordResets,
    private readonly limits: RateLimits,
  ) {}

  /**
   * Ask for a link that sets a new password
   * @remarks Always accepted. A mail goes to users who have verified their address, to operators only if they have a
   * second factor; nothing tells whether one does.
   */
  @Post('forgot')
  @HttpCode(202)
  @ApiAcceptedResponse({
    description: 'If there is such a user with a verified address, a mail is on its way.',
  })
  @ApiErrors(VALIDATION_FAILED, RATE_LIMITED.means('too many from one address, or for one name.'))
  forgot(@Body() body: ForgotPasswordDto, @Req() request: Request): Promise<void> {
    return this.forgotten.ask(typedBy(body), this.limits.addressBucketOf(request));
  }

  /**
   * Set a new password by a link
   * @remarks By its token, once, within 20 minutes. It ends every session of the user and what the user let clients do;
   * log-ins still ask for a second factor. For 24 hours payouts and transfers over a chain need an approval, and
   * transfers to others are refused.
   */
  @Post('reset')
  @HttpCode(204)
  @Audited()
  @ApiNoContentResponse({ description: 'The password is set.' })
  @ApiErrors(
    VALIDATION_FAILED,
    INVALID_GRANT.means(
      'the token is wrong, used, older than 20 minutes, or of an address that was changed.',
    ),
    CONFLICT.means('another change of the password came first.'),
    RATE_LIMITED.means('too many at once.'),
  )
  reset(@Body() body: ResetPasswordDto): Promise<void> {
    return this.resets.reset(body);
  }
}
