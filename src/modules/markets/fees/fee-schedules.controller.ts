import { Body, Controller, Delete, Get, HttpCode, Put, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { CONFLICT, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiPageResponse, type Page, PageQueryDto } from '../../../kit/http/pagination.js';
import { PathParam } from '../../../kit/http/path-param.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import {
  OPERATOR_FINANCE,
  OPERATOR_MARKETS,
  OPERATOR_READ,
  operators,
} from '../../../kit/security/operator-roles.js';
import { FeeScheduleDto, PutFeeScheduleDto } from './fee-schedule.dto.js';
import { FeeSchedules } from './fee-schedules.service.js';

const NAME = { example: 'default' };
const NO_SCHEDULE = NOT_FOUND.means('there is no such fee schedule.');

/** What accounts pay for trades by how much they trade, as operators decide it. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_FINANCE))
@Controller('admin/fee-schedules')
export class FeeSchedulesController {
  constructor(private readonly schedules: FeeSchedules) {}

  /**
   * List the fee schedules
   * @remarks In order of their names.
   */
  @Get()
  @RequireScopes(operators(OPERATOR_FINANCE, OPERATOR_MARKETS, OPERATOR_READ))
  @ApiPageResponse(FeeScheduleDto)
  list(@Query() query: PageQueryDto): Promise<Page<FeeScheduleDto>> {
    return this.schedules.list(query);
  }

  /** Get a fee schedule */
  @Get(':name')
  @RequireScopes(operators(OPERATOR_FINANCE, OPERATOR_MARKETS, OPERATOR_READ))
  @ApiErrors(NO_SCHEDULE)
  get(@PathParam('name', NAME) name: string): Promise<FeeScheduleDto> {
    return this.schedules.get(name);
  }

  /**
   * Make a fee schedule, or replace it
   * @remarks The schedule `default` is that of every account without another one; where there is none, the rates of each
   * market apply. Orders keep the rates at which they were placed; new ones have those of the schedule some seconds later
   * at most. A `FeePolicy` of a plugin decides where it has rates for an order.
   */
  @Put(':name')
  @ApiErrors(REFUSALS.asset_not_found, CONFLICT.means('there are 100 schedules already.'))
  put(@PathParam('name', NAME) name: string, @Body() body: PutFeeScheduleDto): Promise<FeeScheduleDto> {
    return this.schedules.put(name, body);
  }

  /**
   * Delete a fee schedule that no account has been given
   * @remarks Without the schedule `default`, accounts without another one pay the rates of each market.
   */
  @Delete(':name')
  @HttpCode(204)
  @ApiNoContentResponse({ description: 'It is gone.' })
  @ApiErrors(NO_SCHEDULE, CONFLICT.means('an account has it.'))
  remove(@PathParam('name', NAME) name: string): Promise<void> {
    return this.schedules.remove(name);
  }
}
