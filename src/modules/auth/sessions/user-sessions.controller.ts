import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../kit/audit/audited.js';
import { INVALID_CURSOR, NOT_FOUND, FORBIDDEN } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiPageResponse, PageQueryDto, type Page } from '../../../kit/http/pagination.js';
import { Authenticated } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { SessionDto } from './session.dto.js';
import { UserSessions } from './user-sessions.service.js';

const NOT_ALLOWED = FORBIDDEN.means('it takes the session of a logged-in user.');

/** Where one is logged in. */
@ApiTags('Users')
@Authenticated({ callers: 'logged_in_users' })
@Controller('user/sessions')
export class UserSessionsController {
  constructor(private readonly sessions: UserSessions) {}

  /**
   * List your sessions
   * @remarks Each log-in, newest first: by the API, or in a browser with all that the console does from there.
   */
  @Get()
  @ApiPageResponse(SessionDto)
  @ApiErrors(INVALID_CURSOR, NOT_ALLOWED)
  list(@CurrentPrincipal() principal: Principal, @Query() page: PageQueryDto): Promise<Page<SessionDto>> {
    return this.sessions.list(principal, page);
  }

  /**
   * End all your other sessions
   * @remarks The one that asks goes on. Keys, and what you granted to clients, stay.
   */
  @Delete()
  @HttpCode(204)
  @Audited()
  @ApiNoContentResponse({ description: 'All others have ended.' })
  @ApiErrors(NOT_ALLOWED)
  endOthers(@CurrentPrincipal() principal: Principal): Promise<void> {
    return this.sessions.endOthers(principal);
  }

  /**
   * End one of your sessions
   * @remarks Its token is refused from then on, its browser is logged out, and its open streams end.
   */
  @Delete(':session_id')
  @HttpCode(204)
  @Audited()
  @ApiNoContentResponse({ description: 'The session has ended.' })
  @ApiErrors(NOT_ALLOWED, NOT_FOUND)
  end(@CurrentPrincipal() principal: Principal, @Param('session_id') sessionId: string): Promise<void> {
    return this.sessions.end(principal, sessionId);
  }
}
