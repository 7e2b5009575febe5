import { NOT_FOUND, TEMPORARILY_UNAVAILABLE } from '../../../kit/http/error-codes.js';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { RefusesBoundKeys } from '../../../kit/security/bound-keys.js';
import { POINTS } from '../../../kit/rate-limit/points.js';
import { RateLimitedAs } from '../../../kit/rate-limit/rate-limit.guard.js';
import { Public, RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { ACCOUNT_REQUIREMENT } from '../../accounts/access/account-requirement.js';
import { AccountReceiptQueryDto, OrderReceiptQueryDto, ReceiptDto } from './receipt.dto.js';
import { RECEIPT_REQUIREMENTS } from './receipt-requirements.js';
import { ReceiptsService } from './receipts.service.js';

const ARCHIVED = NOT_FOUND.means(
  'there is no such thing, or it is in a part of the archive that the service cannot look into.',
);
const NOT_NOW = TEMPORARILY_UNAVAILABLE.means(
  'the head that covers it is being signed, or the file of the archive that has it is damaged.',
);

/** What the journal says of one’s own, with the way from there to a signed head. */
@ApiTags('Proof')
@RateLimitedAs('reads', () => POINTS.receipt)
@Controller()
export class ReceiptController {
  constructor(private readonly receipts: ReceiptsService) {}

  /**
   * Get the receipt of an order
   * @remarks What the commit that accepted it did to the account, fills and money included; or the last commit that changed
   * it. `npx @tradepost/verify receipt` checks it without the service.
   */
  @Get('orders/:order_id/receipt')
  @RequireScopes(RECEIPT_REQUIREMENTS.accepted_order)
  @ApiErrors(REFUSALS.order_not_found, ARCHIVED, NOT_NOW)
  ofOrder(
    @CurrentPrincipal() principal: Principal,
    @Param('order_id') orderId: string,
    @Query() { of }: OrderReceiptQueryDto,
  ): Promise<ReceiptDto> {
    return this.receipts.ofOrder(principal, orderId, of);
  }

  /**
   * Get the receipt of a balance, a fill or an entry
   * @remarks What one commit did to the account: balances, positions, orders, trades and transfers.
   */
  @Get('accounts/:account_id/receipt')
  @RequireScopes(ACCOUNT_REQUIREMENT)
  @ApiErrors(REFUSALS.account_not_found, ARCHIVED, NOT_NOW)
  ofAccount(
    @CurrentPrincipal() principal: Principal,
    @Param('account_id') accountId: string,
    @Query() { ledger_sequence }: AccountReceiptQueryDto,
  ): Promise<ReceiptDto> {
    return this.receipts.ofAccount(principal, accountId, ledger_sequence);
  }

  /**
   * Get the receipt of a transfer of a trading account
   * @remarks Of what was booked of it last: that it was held, paid, given back or moved.
   */
  @Get('accounts/:account_id/transfers/:transfer_id/receipt')
  @RequireScopes(RECEIPT_REQUIREMENTS.transfer)
  @ApiErrors(REFUSALS.account_not_found, ARCHIVED, NOT_NOW)
  ofTransfer(
    @CurrentPrincipal() principal: Principal,
    @Param('account_id') accountId: string,
    @Param('transfer_id') transferId: string,
  ): Promise<ReceiptDto> {
    return this.receipts.ofTransfer(principal, accountId, transferId);
  }

  /**
   * Get the receipt of a payout
   * @remarks Of what was booked of it last: that it was held, paid or given back.
   */
  @Get('payouts/:payout_id/receipt')
  @RefusesBoundKeys()
  @RequireScopes(RECEIPT_REQUIREMENTS.payout)
  @ApiErrors(ARCHIVED, NOT_NOW)
  ofPayout(
    @CurrentPrincipal() principal: Principal,
    @Param('payout_id') payoutId: string,
  ): Promise<ReceiptDto> {
    return this.receipts.ofPayout(principal, payoutId);
  }

  /**
   * Get the receipt of a trade
   * @remarks What the commit did to the market. Accounts are not in it.
   */
  @Get('markets/:market_id/trades/:trade_id/receipt')
  @Public()
  @ApiErrors(ARCHIVED, NOT_NOW)
  ofTrade(@Param('market_id') marketId: string, @Param('trade_id') tradeId: string): Promise<ReceiptDto> {
    return this.receipts.ofTrade(marketId, tradeId);
  }
}
