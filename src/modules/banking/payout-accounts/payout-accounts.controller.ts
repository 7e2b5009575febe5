import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { VALIDATION_FAILED, CONFLICT, UNPROCESSABLE, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { HOLDER_NAME_MISMATCH } from '../errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { ApiPageResponse, type Page, PageQueryDto } from '../../../kit/http/pagination.js';
import { BOUND_KEY, RefusesBoundKeys } from '../../../kit/security/bound-keys.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { NEEDS_STEP_UP } from '../../../kit/security/step-up.js';
import { CreatePayoutAccountDto, PayoutAccountDto } from './payout-account.dto.js';
import { PayoutAccountsService } from './payout-accounts.service.js';
import { BANKING_READ, BANKING_WRITE } from '../scopes.js';

/** The bank accounts that one's money may be paid to. */
@ApiTags('Banking')
@RefusesBoundKeys()
@Controller('payout-accounts')
export class PayoutAccountsController {
  constructor(private readonly accounts: PayoutAccountsService) {}

  /**
   * Add a bank account
   * @remarks Validated by the structure, length and check digits of its country (ISO 13616), or by prefix
   * and checksum of its routing number (ABA); stored encrypted, answered with the last four characters
   * alone.
   */
  @Post()
  @RequireScopes({ anyOf: [BANKING_WRITE] })
  @Idempotent()
  @ApiErrors(
    VALIDATION_FAILED,
    BOUND_KEY,
    NEEDS_STEP_UP,
    CONFLICT.means('you have it already.'),
    HOLDER_NAME_MISMATCH,
    UNPROCESSABLE.means('too many.'),
  )
  create(
    @CurrentPrincipal() principal: Principal,
    @Body() body: CreatePayoutAccountDto,
  ): Promise<PayoutAccountDto> {
    return this.accounts.create(principal, body);
  }

  /**
   * List bank accounts
   * @remarks Newest first, without deleted ones.
   */
  @Get()
  @RequireScopes({ anyOf: [BANKING_READ] })
  @ApiPageResponse(PayoutAccountDto)
  list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: PageQueryDto,
  ): Promise<Page<PayoutAccountDto>> {
    return this.accounts.list(principal, query);
  }

  /**
   * Find a bank account by its id
   * @remarks Deleted ones too, for payouts that went there.
   */
  @Get(':payout_account_id')
  @RequireScopes({ anyOf: [BANKING_READ] })
  @ApiErrors(NOT_FOUND)
  get(
    @CurrentPrincipal() principal: Principal,
    @Param('payout_account_id') payoutAccountId: string,
  ): Promise<PayoutAccountDto> {
    return this.accounts.get(principal, payoutAccountId);
  }

  /**
   * Delete a bank account
   * @remarks It takes no payouts any more; what went there before still shows it.
   */
  @Delete(':payout_account_id')
  @HttpCode(204)
  @RequireScopes({ anyOf: [BANKING_WRITE] })
  @ApiNoContentResponse()
  @ApiErrors(NOT_FOUND, CONFLICT.means('payouts to it are waiting.'))
  remove(
    @CurrentPrincipal() principal: Principal,
    @Param('payout_account_id') payoutAccountId: string,
  ): Promise<void> {
    return this.accounts.remove(principal, payoutAccountId);
  }
}
