import { REFUSALS } from '../../accounts/commands/refusals.js';
import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RELATED_PERSON, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import {
  OPERATOR_FINANCE,
  OPERATOR_READ,
  OPERATOR_SUPPORT,
  operators,
} from '../../../kit/security/operator-roles.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { GiveFeeScheduleDto, GivenFeeScheduleDto } from './fee-schedule.dto.js';
import { FeeSchedules } from './fee-schedules.service.js';

const NO_SCHEDULE = NOT_FOUND.means('there is no such fee schedule.');
const NO_ACCOUNT = REFUSALS.account_not_found.means('there is no such account of anybody.');

/** What one account pays for trades, as operators decide it. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_FINANCE))
@Controller('admin/accounts/:account_id/fee-schedule')
export class FeeScheduleController {
  constructor(private readonly schedules: FeeSchedules) {}

  /** Get the fee schedule that an account has been given */
  @Get()
  @RequireScopes(operators(OPERATOR_SUPPORT, OPERATOR_FINANCE, OPERATOR_READ))
  @ApiErrors(NO_ACCOUNT)
  givenTo(@Param('account_id') accountId: string): Promise<GivenFeeScheduleDto> {
    return this.schedules.givenTo(accountId);
  }

  /**
   * Give an account a fee schedule
   * @remarks Or with `null` that of all. Never one’s own account.
   */
  @Put()
  @ApiErrors(NO_ACCOUNT, NO_SCHEDULE, RELATED_PERSON.means('it is your own account'))
  give(
    @CurrentPrincipal() principal: Principal,
    @Param('account_id') accountId: string,
    @Body() { name }: GiveFeeScheduleDto,
  ): Promise<GivenFeeScheduleDto> {
    return this.schedules.give(principal, accountId, name);
  }
}
