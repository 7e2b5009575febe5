import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { NOT_FOUND, SAME_PERSON, RELATED_PERSON, FORBIDDEN } from '../../../kit/http/error-codes.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { PAYMENT_HELD, KYC_REQUIRED } from '../../users/errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import {
  OPERATOR_COMPLIANCE,
  OPERATOR_FINANCE,
  OPERATOR_SUPPORT,
  operators,
} from '../../../kit/security/operator-roles.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { ListAllPayoutsQueryDto, OperatorPayoutDto, RejectPayoutDto, ReportPayoutDto } from './payout.dto.js';
import { PayoutOperationsService } from './payout-operations.service.js';

const OWN_REQUEST = FORBIDDEN.means('you asked for it yourself');
const RELATED = RELATED_PERSON.means('you do not count beside its owner.');

/** What operators decide and report about payouts. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_FINANCE))
@Controller('admin/payouts')
export class AdminPayoutsController {
  constructor(private readonly operations: PayoutOperationsService) {}

  /**
   * List the payouts of all
   * @remarks Newest first.
   */
  @Get()
  @RequireScopes(operators(OPERATOR_SUPPORT, OPERATOR_COMPLIANCE, OPERATOR_FINANCE))
  @ApiPageResponse(OperatorPayoutDto)
  list(@Query() query: ListAllPayoutsQueryDto): Promise<Page<OperatorPayoutDto>> {
    return this.operations.list(query);
  }

  /**
   * Approve a payout
   * @remarks It becomes `pending` and goes with the next file. Who asked for it cannot approve it.
   */
  @Post(':payout_id/approve')
  @HttpCode(200)
  @Idempotent()
  @ApiErrors(
    OWN_REQUEST,
    RELATED,
    NOT_FOUND,
    REFUSALS.invalid_status_change.means('it waits for no approval'),
    PAYMENT_HELD.means('its account is frozen, or its owner locked or closed.'),
    KYC_REQUIRED.means('the owner’s KYC is not approved any more.'),
  )
  approve(
    @CurrentPrincipal() principal: Principal,
    @Param('payout_id') payoutId: string,
  ): Promise<OperatorPayoutDto> {
    return this.operations.approve(principal, payoutId);
  }

  /**
   * Reject a payout
   * @remarks It becomes `failed` with the code `rejected`, and its money is available again. Also of one
   * that waits for no approval while it is held.
   */
  @Post(':payout_id/reject')
  @HttpCode(200)
  @Idempotent()
  @ApiErrors(
    OWN_REQUEST,
    RELATED,
    NOT_FOUND,
    REFUSALS.invalid_status_change.means('it waits for no approval, and is not held.'),
  )
  reject(
    @CurrentPrincipal() principal: Principal,
    @Param('payout_id') payoutId: string,
    @Body() body: RejectPayoutDto,
  ): Promise<OperatorPayoutDto> {
    return this.operations.reject(principal, payoutId, body);
  }

  /**
   * Report what the bank says of a payout
   * @remarks `paid` lets the money leave the account; `failed` and `returned` give it back, once. `returned`
   * also reverses what was reported as paid; the fee stays then.
   */
  @Post(':payout_id/report')
  @HttpCode(200)
  @Idempotent()
  @ApiErrors(
    SAME_PERSON,
    RELATED_PERSON.means('it is your own, or you do not count beside its owner.'),
    NOT_FOUND,
    REFUSALS.invalid_status_change.means('it cannot become that, or is so already.'),
  )
  report(
    @CurrentPrincipal() principal: Principal,
    @Param('payout_id') payoutId: string,
    @Body() body: ReportPayoutDto,
  ): Promise<OperatorPayoutDto> {
    return this.operations.report(principal, payoutId, body);
  }
}
