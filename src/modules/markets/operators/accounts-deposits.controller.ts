import { Body, Controller, Param, Post, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ApprovalDto } from '../../../kit/approvals/approval.dto.js';
import { answerProposable, ApiProposed } from '../../../kit/approvals/proposed.js';
import { INSUFFICIENT_SCOPE, RELATED_PERSON } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { IdempotencyKeyHeader } from '../../../kit/http/idempotency/idempotency-key.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { OPERATOR_FINANCE, operators } from '../../../kit/security/operator-roles.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { OF_SELF_LIMITS } from '../../limits/documented-errors.js';
import { DepositDto, DepositedDto } from './account-money.dto.js';
import { AccountMoney } from './account-money.service.js';

const OWN_ACCOUNT = RELATED_PERSON.means('it is your own account');

/** Money that operators put into accounts. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_FINANCE))
@Controller('admin/accounts/:account_id/deposits')
export class AccountsDepositsController {
  constructor(private readonly money: AccountMoney) {}

  /**
   * Deposit money into an account
   * @remarks With `FOUR_EYES` a proposal, and never into one’s own account.
   */
  @Post()
  @ApiCreatedResponse({ type: DepositedDto })
  @ApiProposed()
  @ApiErrors(
    OWN_ACCOUNT,
    INSUFFICIENT_SCOPE,
    REFUSALS.account_not_found,
    REFUSALS.asset_not_found,
    REFUSALS.amount_too_precise,
    REFUSALS.invalid_amount,
    ...OF_SELF_LIMITS,
  )
  async deposit(
    @CurrentPrincipal() principal: Principal,
    @Param('account_id') accountId: string,
    @Body() body: DepositDto,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DepositedDto | ApprovalDto> {
    return answerProposable(response, await this.money.deposit(principal, accountId, body, key));
  }
}
