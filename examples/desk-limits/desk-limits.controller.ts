import { Body, Controller, Inject, Param, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { Pool } from 'pg';
import {
  ApiError,
  AuditLog,
  IsPlainDecimal,
  RequireScopes,
  formatAmount,
  inTransaction,
  parseAmount,
  ACCOUNT_IDS,
  ADMIN,
  PG_POOL,
  REFUSALS,
} from '../../src/index.js';
import { DeskLimits } from './desk-limits.js';

class DeskLimitDto {
  /** The largest size of one order, in its market's base asset. */
  @ApiProperty({ example: '2.5' })
  @IsPlainDecimal({ positive: true })
  max_size: string;
}

@ApiTags('Admin')
@Controller('admin/desk-limits')
export class DeskLimitsController {
  constructor(
    private readonly limits: DeskLimits,
    private readonly audit: AuditLog,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {}

  @Put(':account_id')
  @RequireScopes({ anyOf: [ADMIN] })
  @ApiOperation({ summary: 'Limit the size of the orders that a desk may place' })
  @ApiOkResponse({ type: DeskLimitDto })
  async set(@Param('account_id') accountId: string, @Body() body: DeskLimitDto): Promise<DeskLimitDto> {
    const id = ACCOUNT_IDS.parse(accountId);
    if (id === undefined) throw new ApiError(REFUSALS.account_not_found, 'There is no such account.');
    const account = ACCOUNT_IDS.format(id);
    const maxSize = parseAmount(body.max_size)!;
    await inTransaction(this.pool, async (transaction) => {
      await this.limits.put(transaction, account, maxSize.toString());
      await this.audit.record(transaction, {
        target: { type: 'account', id: account },
        details: { max_size: formatAmount(maxSize) },
      });
    });
    return { max_size: formatAmount(maxSize) };
  }
}
