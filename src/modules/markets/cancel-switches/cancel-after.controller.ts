import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { MARKET_NOT_ALLOWED } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { RateLimitedAs } from '../../../kit/rate-limit/rate-limit.guard.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { ROLE_REQUIRED } from '../../accounts/access/account-roles.js';
import { AccountReferenceDto } from '../../accounts/access/account-reference.dto.js';
import { CancelAfterDto, CancelSwitchDto } from './cancel-switch.dto.js';
import { CancelSwitches } from './cancel-switches.service.js';
import { MARKETS_TRADE } from '../names/scopes.js';

/** The dead man's switch of the caller's own accounts. */
@ApiTags('Markets')
@ApiErrors(...ROLE_REQUIRED, REFUSALS.account_not_found)
@RequireScopes({ anyOf: [MARKETS_TRADE] })
@Controller('orders/cancel-after')
export class CancelAfterController {
  constructor(private readonly switches: CancelSwitches) {}

  /**
   * Cancel all orders of an account unless this is said again in time
   * @remarks A dead man’s switch: each repeat sets it anew, 0 turns it off, and once it has triggered it is
   * off. It is kept with the orders, so neither the loss of a connection nor a crash of the service forgets
   * it. An Idempotency-Key means nothing here.
   */
  @Post()
  @HttpCode(200)
  @ApiErrors(MARKET_NOT_ALLOWED.means('the key is bound to markets, and a switch concerns all.'))
  @RateLimitedAs('orders')
  cancelAfter(
    @CurrentPrincipal() principal: Principal,
    @Body() body: CancelAfterDto,
  ): Promise<CancelSwitchDto> {
    return this.switches.cancelAfter(principal, body);
  }

  /** Get the dead man’s switch of an account */
  @Get()
  timer(
    @CurrentPrincipal() principal: Principal,
    @Query() { account_id: account }: AccountReferenceDto,
  ): Promise<CancelSwitchDto> {
    return this.switches.timerOf(principal, account);
  }
}
