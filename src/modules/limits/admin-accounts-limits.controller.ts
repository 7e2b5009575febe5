import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { REFUSALS } from '../accounts/commands/refusals.js';
import { ApiErrors } from '../../kit/http/api-errors.js';
import { PathParam } from '../../kit/http/path-param.js';
import { RequireScopes } from '../../kit/security/credential-policy.js';
import { OPERATOR_COMPLIANCE, OPERATOR_SUPPORT, operators } from '../../kit/security/operator-roles.js';
import { SelfLimitsDto } from './self-limit.dto.js';
import { SelfLimitsService } from './self-limits.service.js';

/** Limits as operators see them; they cannot change any. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_SUPPORT, OPERATOR_COMPLIANCE))
@Controller('admin/accounts/:account_id/limits')
export class AdminAccountsLimitsController {
  constructor(private readonly limits: SelfLimitsService) {}

  /** List the limits that the owner of an account has set */
  @Get()
  @ApiErrors(REFUSALS.account_not_found.means('there is no such account of anybody.'))
  list(@PathParam('account_id', { example: 'acc_00000000042' }) account: string): Promise<SelfLimitsDto> {
    return this.limits.listFor(account);
  }
}
