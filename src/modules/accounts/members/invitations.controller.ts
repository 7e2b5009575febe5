import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiPageResponse, type Page, PageQueryDto } from '../../../kit/http/pagination.js';
import { Authenticated } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { INVALID_CURSOR, FORBIDDEN } from '../../../kit/http/error-codes.js';
import { InvitationDto } from './account-member.dto.js';
import { Memberships } from './memberships.service.js';

const NOT_ALLOWED = FORBIDDEN.means('it takes the session of a logged-in user.');

/** What the caller is asked to be on accounts of others. */
@ApiTags('Markets')
@Authenticated({ callers: 'logged_in_users' })
@Controller('accounts/invitations')
export class InvitationsController {
  constructor(private readonly memberships: Memberships) {}

  /**
   * List one's invitations to accounts of others
   * @remarks Those that may be accepted now, in the order of the accounts.
   */
  @Get()
  @ApiPageResponse(InvitationDto)
  @ApiErrors(NOT_ALLOWED, INVALID_CURSOR)
  invitations(
    @CurrentPrincipal() principal: Principal,
    @Query() query: PageQueryDto,
  ): Promise<Page<InvitationDto>> {
    return this.memberships.invitations(principal, query);
  }
}
