import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { SAME_PERSON, RELATED_PERSON, NOT_FOUND, CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { OPERATOR_FINANCE, operators } from '../../../kit/security/operator-roles.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { ClearPayoutRemarkDto, ListPayoutRemarksQueryDto, PayoutRemarkDto } from './payout-remark.dto.js';
import { PayoutRemarksService } from './payout-remarks.service.js';

/** What reports of banks say that somebody must look at. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_FINANCE))
@Controller('admin/payout-remarks')
export class PayoutRemarksController {
  constructor(private readonly remarks: PayoutRemarksService) {}

  /**
   * List what banks' reports say that moved nothing
   * @remarks Newest first. While a remark is open, silence of the bank does not make its payout `paid`.
   */
  @Get()
  @ApiPageResponse(PayoutRemarkDto)
  list(@Query() query: ListPayoutRemarksQueryDto): Promise<Page<PayoutRemarkDto>> {
    return this.remarks.list(query);
  }

  /**
   * Clear a remark
   * @remarks Ask the bank first, and report what it says by `POST /admin/payouts/{payout_id}/report`. From then on
   * silence counts again.
   */
  @Post(':remark_id/clear')
  @HttpCode(200)
  @Idempotent()
  @ApiErrors(
    SAME_PERSON,
    RELATED_PERSON.means('it is about your own payout, or you do not count beside its owner.'),
    NOT_FOUND,
    CONFLICT.means('it is cleared already.'),
  )
  clear(
    @CurrentPrincipal() principal: Principal,
    @Param('remark_id') remarkId: string,
    @Body() body: ClearPayoutRemarkDto,
  ): Promise<PayoutRemarkDto> {
    return this.remarks.clear(principal, remarkId, body);
  }
}
