import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { NOT_FOUND, RELATED_PERSON, FORBIDDEN } from '../../../kit/http/error-codes.js';
import { PAYMENT_HELD } from '../../users/errors.js';
import { TRANSFER_NOT_PENDING } from '../errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { CsvRows } from '../../../kit/http/csv/csv-rows.js';
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
import {
  ListAllTransfersQueryDto,
  OPERATOR_TRANSFER_COLUMNS,
  OperatorTransferDto,
  RejectTransferDto,
} from './transfer-approvals.dto.js';
import { TransferApprovalsService } from './transfer-approvals.service.js';

const OWN_REQUEST = FORBIDDEN.means('you asked for it yourself');
const RELATED = RELATED_PERSON.means('you do not count beside its owner.');

/** Transfers, as operators list them, and let those over chains go or not. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_FINANCE))
@Controller('admin/transfers')
export class AdminTransfersController {
  constructor(private readonly approvals: TransferApprovalsService) {}

  /**
   * List the transfers of all
   * @remarks Newest first. Those that wait for an approval are `pending_approval`. Where few meet the filter, a page
   * may be short, even empty, and still have a `next_cursor`.
   */
  @Get()
  @RequireScopes(operators(OPERATOR_SUPPORT, OPERATOR_COMPLIANCE, OPERATOR_FINANCE))
  @ApiErrors(REFUSALS.account_not_found.means('there is no such account of anybody.'))
  @ApiPageResponse(OperatorTransferDto)
  @CsvRows(OPERATOR_TRANSFER_COLUMNS)
  list(@Query() query: ListAllTransfersQueryDto): Promise<Page<OperatorTransferDto>> {
    return this.approvals.list(query);
  }

  /**
   * Approve a transfer
   * @remarks It becomes `pending` and is sent. Who asked for it cannot approve it.
   */
  @Post(':transfer_id/approve')
  @HttpCode(200)
  @Idempotent()
  @ApiErrors(
    OWN_REQUEST,
    RELATED,
    NOT_FOUND,
    TRANSFER_NOT_PENDING.means('it waits for no approval any more'),
    PAYMENT_HELD.means('its account is frozen, or its owner locked or closed.'),
  )
  approve(
    @CurrentPrincipal() principal: Principal,
    @Param('transfer_id') transferId: string,
  ): Promise<OperatorTransferDto> {
    return this.approvals.approve(principal, transferId);
  }

  /**
   * Reject a transfer
   * @remarks Its money is available again. Also of one that waits for no approval while it is held.
   */
  @Post(':transfer_id/reject')
  @HttpCode(200)
  @Idempotent()
  @ApiErrors(
    OWN_REQUEST,
    RELATED,
    NOT_FOUND,
    TRANSFER_NOT_PENDING.means('it waits for no approval any more.'),
  )
  reject(
    @CurrentPrincipal() principal: Principal,
    @Param('transfer_id') transferId: string,
    @Body() body: RejectTransferDto,
  ): Promise<OperatorTransferDto> {
    return this.approvals.reject(principal, transferId, body);
  }
}
