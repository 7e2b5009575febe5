import { REFUSALS } from 'tradepost';
import { Body, Controller, Param, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import {
  ApiError,
  IsPlainDecimal,
  RequireScopes,
  formatAmount,
  parseAmount,
  ACCOUNT_IDS,
  ADMIN,
} from '../../src/index.js';
import { DeskLimitsService } from './desk-limits.service.js';

class DeskLimitDto {
  /** The largest size of one order, in its market's base asset. */
  @ApiProperty({ example: '2.5' })
  @IsPlainDecimal({ positive: true })
  max_size: string;
}

@ApiTags('Admin')
@Controller('admin/desk-limits')
export class DeskLimitsController {
  constructor(private readonly limits: DeskLimitsService) {}

  @Put(':account_id')
  @RequireScopes({ anyOf: [ADMIN] })
  @ApiOperation({ summary: 'Limit the size of the orders that a desk may place' })
  @ApiOkResponse({ type: DeskLimitDto })
  async set(@Param('account_id') accountId: string, @Body() body: DeskLimitDto): Promise<DeskLimitDto> {
    const account = ACCOUNT_IDS.parse(accountId);
    if (account === undefined) throw new ApiError(REFUSALS.account_not_found, 'There is no such account.');
    const maxSize = parseAmount(body.max_size)!;
    await this.limits.set(account, maxSize);
    return { max_size: formatAmount(maxSize) };
  }
}
