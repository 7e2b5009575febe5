import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../kit/audit/audited.js';
import { VALIDATION_FAILED, RATE_LIMITED, CONFLICT } from '../../../kit/http/error-codes.js';
import { INVALID_GRANT } from '../errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { ResetPasswordDto } from './password-reset.dto.js';
import { PasswordResets } from './password-resets.service.js';

/** New passwords by a link that was mailed. */
@ApiTags('Users')
@Public()
@Controller('user/password/reset')
export class PasswordResetController {
  constructor(private readonly resets: PasswordResets) {}

  /**
   * Set a new password by a link
   * @remarks By its token, once, within 20 minutes. It ends every session of the user and what the user let clients do;
   * log-ins still ask for a second factor. For 24 hours payouts and transfers over a chain need an approval, and
   * transfers to others are refused.
   */
  @Post()
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
