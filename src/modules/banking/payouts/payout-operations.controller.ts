import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { Idempotent } from '../../../platform/http/idempotency/idempotent.js';
import { ApiPageResponse, type Page } from '../../../platform/http/pagination.js';
import { RequireScopes } from '../../../platform/security/credentials.js';
import { CurrentPrincipal } from '../../../platform/security/current-principal.js';
import type { Principal } from '../../../platform/security/principal.js';
import { ListAllPayoutsQueryDto, OperatorPayoutDto, RejectPayoutDto, ReportPayoutDto } from './payout.dto.js';
import { PayoutOperationsService } from './payout-operations.service.js';

/** What operators decide and report about payouts. */
@ApiTags('Admin')
@RequireScopes({ anyOf: ['admin'] })
@Controller('admin/payouts')
export class PayoutOperationsController {
  constructor(private readonly operations: PayoutOperationsService) {}

  @Get()
  @ApiOperation({ summary: 'List the payouts of all', description: 'Newest first.' })
  @ApiPageResponse(OperatorPayoutDto)
  list(@Query() query: ListAllPayoutsQueryDto): Promise<Page<OperatorPayoutDto>> {
    return this.operations.list(query);
  }

  @Post(':payout_id/approve')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Approve a payout',
    description: 'It becomes `pending` and goes with the next file. Who asked for it cannot approve it.',
  })
  @ApiOkResponse({ type: OperatorPayoutDto })
  @ApiErrors(
    'forbidden: you asked for it yourself',
    'related_person: you do not count beside its owner.',
    'not_found',
    'invalid_status_change: it waits for no approval',
    'payment_held: its account is frozen, or its owner locked or closed.',
    'kyc_required: the owner’s KYC is not approved any more.',
  )
  approve(
    @CurrentPrincipal() principal: Principal,
    @Param('payout_id') payoutId: string,
  ): Promise<OperatorPayoutDto> {
    return this.operations.approve(principal, payoutId);
  }

  @Post(':payout_id/reject')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Reject a payout',
    description:
      'It becomes `failed` with the code `rejected`, and its money is available again. Also of one that waits for no approval while it is held.',
  })
  @ApiOkResponse({ type: OperatorPayoutDto })
  @ApiErrors(
    'forbidden: you asked for it yourself',
    'related_person: you do not count beside its owner.',
    'not_found',
    'invalid_status_change: it waits for no approval, and is not held.',
  )
  reject(
    @CurrentPrincipal() principal: Principal,
    @Param('payout_id') payoutId: string,
    @Body() body: RejectPayoutDto,
  ): Promise<OperatorPayoutDto> {
    return this.operations.reject(principal, payoutId, body);
  }

  @Post(':payout_id/report')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Report what the bank says of a payout',
    description:
      '`paid` lets the money leave the account; `failed` and `returned` give it back, once. `returned` also reverses what was reported as paid; the fee stays then.',
  })
  @ApiOkResponse({ type: OperatorPayoutDto })
  @ApiErrors(
    'same_person',
    'related_person: it is your own, or you do not count beside its owner.',
    'not_found',
    'invalid_status_change: it cannot become that, or is so already.',
  )
  report(
    @CurrentPrincipal() principal: Principal,
    @Param('payout_id') payoutId: string,
    @Body() body: ReportPayoutDto,
  ): Promise<OperatorPayoutDto> {
    return this.operations.report(principal, payoutId, body);
  }
}
