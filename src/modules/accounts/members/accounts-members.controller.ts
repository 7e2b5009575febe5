import { Body, Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../kit/audit/audited.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { Authenticated } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { Username } from '../../users/username.js';
import { AccountId } from '../access/account-id.js';
import { VALIDATION_FAILED, CONFLICT, NOT_FOUND, FORBIDDEN } from '../../../kit/http/error-codes.js';
import { REFUSALS } from '../commands/refusals.js';
import { NEEDS_STEP_UP } from '../../../kit/security/step-up.js';
import { AccountMemberDto, AccountMembersDto, InviteMemberDto } from './account-member.dto.js';
import { AccountMembers } from './account-members.service.js';

const NOT_ALLOWED = FORBIDDEN.means('it takes the session of the account’s owner.');

/** Whom the owner of an account lets in. */
@ApiTags('Markets')
@Authenticated({ callers: 'logged_in_users' })
@Controller('accounts')
export class AccountsMembersController {
  constructor(private readonly members: AccountMembers) {}

  /**
   * Invite somebody to an account, or change a role
   * @remarks The invitation lasts seven days, and the answer is the same whether there is such a user or not. Another
   * role of a member counts at once. Payouts and wallets stay with the owner.
   */
  @Post(':account_id/members')
  @Idempotent()
  @Audited()
  @ApiErrors(
    VALIDATION_FAILED,
    NOT_ALLOWED,
    NEEDS_STEP_UP,
    REFUSALS.account_not_found,
    CONFLICT.means('there are 50 members and invitations already.'),
  )
  invite(
    @CurrentPrincipal() principal: Principal,
    @AccountId() accountId: string,
    @Body() body: InviteMemberDto,
  ): Promise<AccountMemberDto> {
    return this.members.invite(principal, accountId, body);
  }

  /**
   * List the members of an account
   * @remarks Those who were invited, too, while the invitation lasts.
   */
  @Get(':account_id/members')
  @ApiErrors(NOT_ALLOWED, REFUSALS.account_not_found)
  list(@CurrentPrincipal() principal: Principal, @AccountId() accountId: string): Promise<AccountMembersDto> {
    return this.members.list(principal, accountId);
  }

  /**
   * End a membership or an invitation
   * @remarks The member is refused at once; open streams of the account end.
   */
  @Delete(':account_id/members/:username')
  @HttpCode(204)
  @Audited()
  @ApiNoContentResponse({ description: 'It has ended.' })
  @ApiErrors(NOT_ALLOWED, REFUSALS.account_not_found, NOT_FOUND.means('no such member of the account.'))
  end(
    @CurrentPrincipal() principal: Principal,
    @AccountId() accountId: string,
    @Username() username: string,
  ): Promise<void> {
    return this.members.end(principal, accountId, username);
  }
}
