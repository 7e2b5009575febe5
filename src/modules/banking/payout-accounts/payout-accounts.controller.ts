import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { Idempotent } from '../../../platform/http/idempotency/idempotent.js';
import { ApiPageResponse, type Page, PageQueryDto } from '../../../platform/http/pagination.js';
import { RequireScopes } from '../../../platform/security/credentials.js';
import { CurrentPrincipal } from '../../../platform/security/current-principal.js';
import type { Principal } from '../../../platform/security/principal.js';
import { CreatePayoutAccountDto, PayoutAccountDto } from './payout-account.dto.js';
import { PayoutAccountsService } from './payout-accounts.service.js';

/** The bank accounts that one's money may be paid to. */
@ApiTags('Banking')
@Controller('payout-accounts')
export class PayoutAccountsController {
  constructor(private readonly accounts: PayoutAccountsService) {}

  @Post()
  @RequireScopes({ anyOf: ['banking:write'] })
  @Idempotent()
  @ApiOperation({
    summary: 'Add a bank account',
    description:
      'Validated by the structure, length and check digits of its country (ISO 13616), or by prefix and checksum of its routing number (ABA); stored encrypted, answered with the last four characters alone.',
  })
  @ApiCreatedResponse({ type: PayoutAccountDto })
  @ApiErrors(
    'validation_failed',
    'conflict: you have it already.',
    'holder_name_mismatch',
    'unprocessable: too many.',
  )
  create(
    @CurrentPrincipal() principal: Principal,
    @Body() body: CreatePayoutAccountDto,
  ): Promise<PayoutAccountDto> {
    return this.accounts.create(principal, body);
  }

  @Get()
  @RequireScopes({ anyOf: ['banking:read'] })
  @ApiOperation({ summary: 'List bank accounts', description: 'Newest first, without deleted ones.' })
  @ApiPageResponse(PayoutAccountDto)
  list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: PageQueryDto,
  ): Promise<Page<PayoutAccountDto>> {
    return this.accounts.list(principal, query);
  }

  @Get(':payout_account_id')
  @RequireScopes({ anyOf: ['banking:read'] })
  @ApiOperation({
    summary: 'Find a bank account by its id',
    description: 'Deleted ones too, for payouts that went there.',
  })
  @ApiOkResponse({ type: PayoutAccountDto })
  @ApiErrors('not_found')
  get(
    @CurrentPrincipal() principal: Principal,
    @Param('payout_account_id') payoutAccountId: string,
  ): Promise<PayoutAccountDto> {
    return this.accounts.get(principal, payoutAccountId);
  }

  @Delete(':payout_account_id')
  @RequireScopes({ anyOf: ['banking:write'] })
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete a bank account',
    description: 'It takes no payouts any more; what went there before still shows it.',
  })
  @ApiNoContentResponse()
  @ApiErrors('not_found', 'conflict: payouts to it are waiting.')
  remove(
    @CurrentPrincipal() principal: Principal,
    @Param('payout_account_id') payoutAccountId: string,
  ): Promise<void> {
    return this.accounts.remove(principal, payoutAccountId);
  }
}
