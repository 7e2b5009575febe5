import { Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../kit/audit/audited.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiPageResponse, type Page, PageQueryDto } from '../../../kit/http/pagination.js';
import { PathParam } from '../../../kit/http/path-param.js';
import { Authenticated } from '../../../kit/security/credentials.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { INVALID_CURSOR, NOT_FOUND, CONFLICT, FORBIDDEN } from '../../../kit/http/error-codes.js';
import { InvitationDto } from './account-member.dto.js';
import { Memberships } from './memberships.service.js';

const NOT_ALLOWED = FORBIDDEN.means('it takes the session of a logged-in user.');

const OthersAccountId = (): ParameterDecorator =>
  PathParam('account_id', { description: 'An account of somebody else’s.', example: 'acc_00000000005' });

/** What the caller is on accounts of others. */
@ApiTags('Markets')
@Authenticated({ callers: 'logged_in_users' })
@Controller('accounts')
export class MembershipsController {
  constructor(private readonly memberships: Memberships) {}

  /**
   * List one's invitations to accounts of others
   * @remarks Those that may be accepted now, in the order of the accounts.
   */
  @Get('invitations')
  @ApiPageResponse(InvitationDto)
  @ApiErrors(NOT_ALLOWED, INVALID_CURSOR)
  invitations(
    @CurrentPrincipal() principal: Principal,
    @Query() query: PageQueryDto,
  ): Promise<Page<InvitationDto>> {
    return this.memberships.invitations(principal, query);
  }

  /**
   * Accept an invitation
   * @remarks From then on all credentials of one's own act on the account, as far as the role and their scopes go.
   */
  @Post(':account_id/membership')
  @HttpCode(204)
  @Audited()
  @ApiNoContentResponse({ description: 'It is accepted.' })
  @ApiErrors(
    NOT_ALLOWED,
    NOT_FOUND.means('no invitation to this account.'),
    CONFLICT.means('one has 100 roles already.'),
  )
  accept(@CurrentPrincipal() principal: Principal, @OthersAccountId() accountId: string): Promise<void> {
    return this.memberships.accept(principal, accountId);
  }

  /** Decline an invitation, or leave an account */
  @Delete(':account_id/membership')
  @HttpCode(204)
  @Audited()
  @ApiNoContentResponse({ description: 'It has ended.' })
  @ApiErrors(NOT_ALLOWED, NOT_FOUND.means('neither invited to this account nor a member.'))
  leave(@CurrentPrincipal() principal: Principal, @OthersAccountId() accountId: string): Promise<void> {
    return this.memberships.leave(principal, accountId);
  }
}
