import { Body, Controller, Delete, Get, HttpCode, Param, Put, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { CONFLICT, RELATED_PERSON, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiPageResponse, type Page, PageQueryDto } from '../../../kit/http/pagination.js';
import { PathParam } from '../../../kit/http/path-param.js';
import { RequireScopes } from '../../../kit/security/credentials.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import {
  FeeScheduleDto,
  GiveFeeScheduleDto,
  GivenFeeScheduleDto,
  PutFeeScheduleDto,
} from './fee-schedule.dto.js';
import { FeeSchedules } from './fee-schedules.service.js';
import { ADMIN } from '../../../kit/security/scope.js';

const NAME = { example: 'default' };
const NO_SCHEDULE = NOT_FOUND.means('there is no such fee schedule.');
const NO_ACCOUNT = REFUSALS.account_not_found.means('there is no such account of anybody.');

/** What accounts pay for trades by how much they trade, as operators decide it. */
@ApiTags('Admin')
@RequireScopes({ anyOf: [ADMIN] })
@Controller('admin')
export class FeeSchedulesController {
  constructor(private readonly schedules: FeeSchedules) {}

  /**
   * List the fee schedules
   * @remarks In order of their names.
   */
  @Get('fee-schedules')
  @ApiPageResponse(FeeScheduleDto)
  list(@Query() query: PageQueryDto): Promise<Page<FeeScheduleDto>> {
    return this.schedules.list(query);
  }

  /** Get a fee schedule */
  @Get('fee-schedules/:name')
  @ApiErrors(NO_SCHEDULE)
  get(@PathParam('name', NAME) name: string): Promise<FeeScheduleDto> {
    return this.schedules.get(name);
  }

  /**
   * Make a fee schedule, or replace it
   * @remarks The schedule `default` is that of every account without another one; where there is none, the rates of each
   * market apply. Orders keep the rates at which they were placed; new ones have those of the schedule some seconds later
   * at most. A `FeePolicy` of a plugin decides instead of all schedules.
   */
  @Put('fee-schedules/:name')
  @ApiErrors(REFUSALS.asset_not_found, CONFLICT.means('there are 100 schedules already.'))
  put(@PathParam('name', NAME) name: string, @Body() body: PutFeeScheduleDto): Promise<FeeScheduleDto> {
    return this.schedules.put(name, body);
  }

  /**
   * Delete a fee schedule that no account has been given
   * @remarks Without the schedule `default`, accounts without another one pay the rates of each market.
   */
  @Delete('fee-schedules/:name')
  @HttpCode(204)
  @ApiNoContentResponse({ description: 'It is gone.' })
  @ApiErrors(NO_SCHEDULE, CONFLICT.means('an account has it.'))
  remove(@PathParam('name', NAME) name: string): Promise<void> {
    return this.schedules.remove(name);
  }

  /** Get the fee schedule that an account has been given */
  @Get('accounts/:account_id/fee-schedule')
  @ApiErrors(NO_ACCOUNT)
  givenTo(@Param('account_id') accountId: string): Promise<GivenFeeScheduleDto> {
    return this.schedules.givenTo(accountId);
  }

  /**
   * Give an account a fee schedule
   * @remarks Or with `null` that of all. Never one’s own account.
   */
  @Put('accounts/:account_id/fee-schedule')
  @ApiErrors(NO_ACCOUNT, NO_SCHEDULE, RELATED_PERSON.means('it is your own account'))
  give(
    @CurrentPrincipal() principal: Principal,
    @Param('account_id') accountId: string,
    @Body() { name }: GiveFeeScheduleDto,
  ): Promise<GivenFeeScheduleDto> {
    return this.schedules.give(principal, accountId, name);
  }
}
