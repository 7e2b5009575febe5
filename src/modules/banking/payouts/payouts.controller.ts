import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  VALIDATION_FAILED,
  FORBIDDEN,
  NOT_FOUND,
  LIMIT_EXCEEDED,
  UNPROCESSABLE,
} from '../../../kit/http/error-codes.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { HOLDER_NAME_MISMATCH } from '../errors.js';
import { KYC_REQUIRED } from '../../users/errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { CsvRows } from '../../../kit/http/csv/csv-rows.js';
import { IdempotencyKeyHeader } from '../../../kit/http/idempotency/idempotency-key.js';
import { answer } from '../../../kit/http/idempotency/replay.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { MayCarryReceipt } from '../../../kit/http/receipts/carried-receipt.js';
import { RefusesBoundKeys } from '../../../kit/security/bound-keys.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { NEEDS_STEP_UP } from '../../../kit/security/step-up.js';
import {
  CreatePayoutDto,
  ListPayoutsQueryDto,
  PayoutDto,
  PayoutHistoryDto,
  PAYOUT_COLUMNS,
} from './payout.dto.js';
import { PayoutsService } from './payouts.service.js';
import { BANKING_READ, BANKING_WRITE } from '../scopes.js';

/** Money out of one's accounts, to one's bank accounts. */
@ApiTags('Banking')
@RefusesBoundKeys()
@Controller('payouts')
export class PayoutsController {
  constructor(private readonly payouts: PayoutsService) {}

  /**
   * Pay out to a bank account
   * @remarks The amount and its fee are held at once, and leave the account when the payout is `paid`. Needs
   * approved KYC; the limits of its level count all of one’s accounts together. Above a threshold an
   * operator approves first. What waits goes into a file at the cut-off of each business day.
   */
  @Post()
  @RequireScopes({ anyOf: [BANKING_WRITE] })
  @ApiErrors(
    VALIDATION_FAILED,
    FORBIDDEN.means('an account of somebody else’s, or a key that is bound to one account.'),
    NEEDS_STEP_UP,
    NOT_FOUND.means('no such payout account'),
    REFUSALS.account_not_found,
    REFUSALS.account_frozen,
    KYC_REQUIRED,
    LIMIT_EXCEEDED,
    REFUSALS.insufficient_funds,
    REFUSALS.amount_too_precise,
    HOLDER_NAME_MISMATCH,
    UNPROCESSABLE.means('the rail cannot carry it.'),
  )
  @MayCarryReceipt('payout', ({ payout_id }: PayoutDto) => payout_id)
  async create(
    @CurrentPrincipal() principal: Principal,
    @Body() body: CreatePayoutDto,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PayoutDto> {
    return answer(response, await this.payouts.create(principal, body, key));
  }

  /**
   * List payouts
   * @remarks Newest first.
   */
  @Get()
  @RequireScopes({ anyOf: [BANKING_READ] })
  @ApiPageResponse(PayoutDto)
  @CsvRows(PAYOUT_COLUMNS)
  list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: ListPayoutsQueryDto,
  ): Promise<Page<PayoutDto>> {
    return this.payouts.list(principal, query);
  }

  /** Find a payout by its id */
  @Get(':payout_id')
  @RequireScopes({ anyOf: [BANKING_READ] })
  @ApiErrors(NOT_FOUND)
  @MayCarryReceipt('payout', ({ payout_id }: PayoutDto) => payout_id)
  get(@CurrentPrincipal() principal: Principal, @Param('payout_id') payoutId: string): Promise<PayoutDto> {
    return this.payouts.get(principal, payoutId);
  }

  /** See every status that a payout was in */
  @Get(':payout_id/history')
  @RequireScopes({ anyOf: [BANKING_READ] })
  @ApiErrors(NOT_FOUND)
  history(
    @CurrentPrincipal() principal: Principal,
    @Param('payout_id') payoutId: string,
  ): Promise<PayoutHistoryDto> {
    return this.payouts.history(principal, payoutId);
  }

  /**
   * Cancel a payout
   * @remarks While it is `pending_approval` or `pending`; what was held is available again.
   */
  @Delete(':payout_id')
  @HttpCode(200)
  @RequireScopes({ anyOf: [BANKING_WRITE] })
  @ApiOkResponse({ type: PayoutDto, description: 'The cancelled payout.' })
  @ApiErrors(NOT_FOUND, REFUSALS.invalid_status_change.means('it is on its way, or has ended.'))
  @MayCarryReceipt('payout', ({ payout_id }: PayoutDto) => payout_id)
  cancel(@CurrentPrincipal() principal: Principal, @Param('payout_id') payoutId: string): Promise<PayoutDto> {
    return this.payouts.cancel(principal, payoutId);
  }
}
