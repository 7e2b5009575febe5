import { Controller, Get, HttpCode } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../kit/audit/audited.js';
import { FORBIDDEN } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Authenticated } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import { PresentedToken } from '../../../kit/security/presented-token.js';
import type { Principal } from '../../../kit/security/principal.js';
import { SessionsService } from './sessions.service.js';

/** The Petstore's log-out. */
@ApiTags('Users')
@Controller('user/logout')
export class LogoutController {
  constructor(private readonly sessions: SessionsService) {}

  /**
   * Log the user out
   * @remarks Ends the session whose token is sent. Other sessions of the user go on.
   */
  @Get()
  @HttpCode(200)
  @Authenticated({ callers: 'logged_in_users' })
  @Audited()
  @ApiOkResponse({ description: 'The session has ended.' })
  @ApiErrors(FORBIDDEN.means('this is no session; see `/oauth/revoke`.'))
  logOut(@CurrentPrincipal() principal: Principal, @PresentedToken() token?: string): Promise<void> {
    return this.sessions.end(principal, token);
  }
}
