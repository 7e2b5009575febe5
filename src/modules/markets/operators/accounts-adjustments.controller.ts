import { Body, Controller, Param, Post, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ApprovalDto } from '../../../kit/approvals/approval.dto.js';
import { answerProposable, ApiProposed } from '../../../kit/approvals/proposed.js';
import { CONFLICT, INSUFFICIENT_SCOPE, RELATED_PERSON } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { OPERATOR_FINANCE, operators } from '../../../kit/security/operator-roles.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { AdjustedDto, AdjustmentDto } from './account-money.dto.js';
import { AccountMoney } from './account-money.service.js';

const OWN_ACCOUNT = RELATED_PERSON.means('it is your own account');

/** Mistakes in accounts, which operators put right. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_FINANCE))
@Controller('admin/accounts/:account_id/adjustments')
export class AccountsAdjustmentsController {
  constructor(private readonly money: AccountMoney) {}

  /**
   * Put a mistake right in an account
   * @remarks Credits or debits it against the operators’ own account of the outside world, once for each `reference` of
   * the account: a repeat is answered as the first was. With `FOUR_EYES` a proposal. Never one’s own account.
   */
  @Post()
  @Idempotent()
  @ApiCreatedResponse({ type: AdjustedDto })
  @ApiProposed()
  @ApiErrors(
    OWN_ACCOUNT,
    INSUFFICIENT_SCOPE,
    REFUSALS.account_not_found,
    REFUSALS.asset_not_found,
    CONFLICT.means('the reference is that of another adjustment of this account.'),
    REFUSALS.insufficient_funds,
    REFUSALS.amount_too_precise,
    REFUSALS.invalid_amount,
  )
  async adjust(
    @CurrentPrincipal() principal: Principal,
    @Param('account_id') accountId: string,
    @Body() body: AdjustmentDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AdjustedDto | ApprovalDto> {
    return answerProposable(response, await this.money.adjust(principal, accountId, body));
  }
}
