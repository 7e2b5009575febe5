import { Body, Controller, Put, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ApprovalDto } from '../../kit/approvals/approval.dto.js';
import { answerProposable, ApiProposed } from '../../kit/approvals/proposed.js';
import { CONFLICT, NOT_FOUND, RELATED_PERSON, VALIDATION_FAILED } from '../../kit/http/error-codes.js';
import { ApiErrors } from '../../kit/http/api-errors.js';
import { RequireScopes } from '../../kit/security/credential-policy.js';
import { operators } from '../../kit/security/operator-roles.js';
import { CurrentPrincipal } from '../../kit/security/current-principal.js';
import type { Principal } from '../../kit/security/principal.js';
import { OperatorRoles } from './operator-roles.service.js';
import { SetRolesDto, UserRolesDto } from './roles.dto.js';
import { Username } from './username.js';

/** What operators may do. */
@ApiTags('Admin')
@RequireScopes(operators())
@Controller('admin/users')
export class RolesController {
  constructor(private readonly roles: OperatorRoles) {}

  /**
   * Set the roles of an operator
   * @remarks All that the user holds from now on; none makes the user a customer like others. A role that is taken away is
   * gone at the next request of every session; one that is added comes with the next log-in. With `FOUR_EYES` a proposal.
   */
  @Put(':username/roles')
  @ApiOkResponse({ type: UserRolesDto })
  @ApiProposed()
  @ApiErrors(
    VALIDATION_FAILED,
    NOT_FOUND.means('there is no such user, or it is closed.'),
    RELATED_PERSON.means('nobody changes their own roles.'),
    CONFLICT.means('the last user with `admin` keeps it, or something else is proposed for this user.'),
  )
  async set(
    @CurrentPrincipal() principal: Principal,
    @Username() username: string,
    @Body() { roles }: SetRolesDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserRolesDto | ApprovalDto> {
    return answerProposable(response, await this.roles.set(principal, username, roles));
  }
}
