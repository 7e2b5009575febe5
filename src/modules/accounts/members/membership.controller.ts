import { Controller, Delete, HttpCode, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../kit/audit/audited.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { PathParam } from '../../../kit/http/path-param.js';
import { Authenticated } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { NOT_FOUND, CONFLICT, FORBIDDEN } from '../../../kit/http/error-codes.js';
import { Memberships } from './memberships.service.js';

const NOT_ALLOWED = FORBIDDEN.means('it takes the session of a logged-in user.');

const OthersAccountId = (): ParameterDecorator =>
  PathParam('account_id', { description: 'An account of somebody else’s.', example: 'acc_00000000005' });

/** What the caller is on accounts of others. */
@ApiTags('Markets')
@Authenticated({ callers: 'logged_in_users' })
@Controller('accounts/:account_id/membership')
export class MembershipController {
  constructor(private readonly memberships: Memberships) {}

  /**
   * Accept an invitation
   * @remarks From then on all credentials of one's own act on the account, as far as the role and their scopes go.
   */
  @Post()
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
  @Delete()
  @HttpCode(204)
  @Audited()
  @ApiNoContentResponse({ description: 'It has ended.' })
  @ApiErrors(NOT_ALLOWED, NOT_FOUND.means('neither invited to this account nor a member.'))
  leave(@CurrentPrincipal() principal: Principal, @OthersAccountId() accountId: string): Promise<void> {
    return this.memberships.leave(principal, accountId);
  }
}
