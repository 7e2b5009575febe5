import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiAcceptedResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { VALIDATION_FAILED, RATE_LIMITED } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { RateLimits } from '../../../kit/rate-limit/rate-limits.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { ForgottenPasswords } from './forgotten-passwords.service.js';
import { ForgotPasswordDto, typedBy } from './password-reset.dto.js';

/** Links by mail that set a new password. */
@ApiTags('Users')
@Public()
@Controller('user/password/forgot')
export class PasswordForgotController {
  constructor(
    private readonly forgotten: ForgottenPasswords,
    private readonly limits: RateLimits,
  ) {}

  /**
   * Ask for a link that sets a new password
   * @remarks Always accepted. A mail goes to users who have verified their address, to operators only if they have a
   * second factor; nothing tells whether one does.
   */
  @Post()
  @HttpCode(202)
  @ApiAcceptedResponse({
    description: 'If there is such a user with a verified address, a mail is on its way.',
  })
  @ApiErrors(VALIDATION_FAILED, RATE_LIMITED.means('too many from one address, or for one name.'))
  forgot(@Body() body: ForgotPasswordDto, @Req() request: Request): Promise<void> {
    return this.forgotten.ask(typedBy(body), this.limits.addressBucketOf(request));
  }
}
