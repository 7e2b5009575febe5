import { Controller, Delete, HttpCode } from '@nestjs/common';
import { ApiAcceptedResponse, ApiTags } from '@nestjs/swagger';
import { ApprovalDto, toApprovalDto } from '../../../kit/approvals/approval.dto.js';
import { NOT_FOUND, CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { OPERATOR_SECURITY, operators } from '../../../kit/security/operator-roles.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { Username } from '../../users/username.js';
import { FactorResets } from './factor-resets.service.js';

@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_SECURITY))
@Controller('admin/users')
export class SecondFactorsController {
  constructor(private readonly resets: FactorResets) {}

  /**
   * Remove a user's second factors
   * @remarks For who has lost the app or the passkeys, and the recovery codes. Always a proposal, with `FOUR_EYES` or without; once another
   * operator has approved it, the password alone logs in, and all sessions of the user have ended.
   */
  @Delete(':username/second-factors')
  @HttpCode(202)
  @ApiAcceptedResponse({ type: ApprovalDto, description: 'It is proposed.' })
  @ApiErrors(
    NOT_FOUND.means('there is no such user.'),
    CONFLICT.means('the user has none, or it is proposed already.'),
  )
  async reset(@CurrentPrincipal() principal: Principal, @Username() username: string): Promise<ApprovalDto> {
    return toApprovalDto((await this.resets.propose(principal, username)).proposed);
  }
}
