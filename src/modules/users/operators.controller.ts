import { Body, Controller, Post, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ApprovalDto } from '../../kit/approvals/approval.dto.js';
import { answerProposable, ApiProposed } from '../../kit/approvals/proposed.js';
import { NOT_FOUND } from '../../kit/http/error-codes.js';
import { ApiErrors } from '../../kit/http/api-errors.js';
import { Idempotent } from '../../kit/http/idempotency/idempotent.js';
import { RequireScopes } from '../../kit/security/credential-policy.js';
import { operators } from '../../kit/security/operator-roles.js';
import { CurrentPrincipal } from '../../kit/security/current-principal.js';
import type { Principal } from '../../kit/security/principal.js';
import { UserManagementService } from './user-management.service.js';
import { MakeOperatorDto, UserDto } from './user.dto.js';

/** Who operates the service. */
@ApiTags('Admin')
@RequireScopes(operators())
@Controller('admin/operators')
export class OperatorsController {
  constructor(private readonly management: UserManagementService) {}

  /**
   * Make a user an operator
   * @remarks From the next log-in on, by HTTP Basic or on the log-in page, the user’s sessions have the
   * scope `admin`. With `FOUR_EYES` a proposal.
   */
  @Post()
  @Idempotent()
  @ApiCreatedResponse({ type: UserDto })
  @ApiProposed()
  @ApiErrors(NOT_FOUND.means('there is no such user, or it is locked or closed.'))
  async make(
    @CurrentPrincipal() principal: Principal,
    @Body() { username }: MakeOperatorDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserDto | ApprovalDto> {
    return answerProposable(response, await this.management.makeOperator(principal, username));
  }
}
