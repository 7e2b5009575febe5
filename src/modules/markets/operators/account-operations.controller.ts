import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ApprovalDto } from '../../../kit/approvals/approval.dto.js';
import { answerProposable, ApiProposed } from '../../../kit/approvals/proposed.js';
import { NOT_FOUND, INSUFFICIENT_SCOPE, CONFLICT, RELATED_PERSON } from '../../../kit/http/error-codes.js';
import { REFUSALS } from '../../core-access/refusals.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { CsvRows } from '../../../kit/http/csv/csv-rows.js';
import { IdempotencyKeyHeader } from '../../../kit/http/idempotency/idempotency-key.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { RequireScopes } from '../../../kit/security/credentials.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { OF_SELF_LIMITS } from '../../limits/documented-errors.js';
import { AccountDto } from '../accounts/account.dto.js';
import { answer } from '../../../kit/http/idempotency/replay.js';
import { AccountFreezing } from './account-freezing.service.js';
import { ACCOUNT_LIST_COLUMNS, ListAllAccountsQueryDto, OperatorAccountDto } from './account-list.dto.js';
import { AccountList } from './account-list.service.js';
import { AccountMoney } from './account-money.service.js';
import {
  AdjustedDto,
  AdjustmentDto,
  DepositDto,
  DepositedDto,
  FreezeAccountDto,
  OpenAccountDto,
  UnfreezeAccountDto,
} from './account-operations.dto.js';
import { AccountOperationsService } from './account-operations.service.js';
import { ADMIN } from '../../../kit/security/scope.js';

const OWN_ACCOUNT = RELATED_PERSON.means('it is your own account');
const NO_ACCOUNT = REFUSALS.account_not_found.means('there is no such account of anybody.');

/** Accounts, as operators open, fund and freeze them. */
@ApiTags('Admin')
@RequireScopes({ anyOf: [ADMIN] })
@Controller('admin/accounts')
export class AccountOperationsController {
  constructor(
    private readonly operations: AccountOperationsService,
    private readonly accounts: AccountList,
    private readonly money: AccountMoney,
    private readonly freezing: AccountFreezing,
  ) {}

  /**
   * List and search the accounts of all
   * @remarks Newest first, with `q` in the order of their names; the house’s own are not among them. Where few meet
   * the filter, a page may be short, even empty, and still have a `next_cursor`.
   */
  @Get()
  @ApiErrors(NOT_FOUND.means('there is no such owner.'))
  @ApiPageResponse(OperatorAccountDto)
  @CsvRows(ACCOUNT_LIST_COLUMNS)
  list(@Query() query: ListAllAccountsQueryDto): Promise<Page<OperatorAccountDto>> {
    return this.accounts.list(query);
  }

  /** Open another trading account for a user or a client */
  @Post()
  @ApiErrors(NOT_FOUND.means('there is no such owner.'))
  async openAccount(
    @CurrentPrincipal() principal: Principal,
    @Body() body: OpenAccountDto,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AccountDto> {
    return answer(response, await this.operations.openAccount(principal, body, key));
  }

  /**
   * Deposit money into an account
   * @remarks With `FOUR_EYES` a proposal, and never into one’s own account.
   */
  @Post(':account_id/deposits')
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

  /**
   * Put a mistake right in an account
   * @remarks Credits or debits it against the operators’ own account of the outside world, once for each `reference` of
   * the account: a repeat is answered as the first was. With `FOUR_EYES` a proposal. Never one’s own account.
   */
  @Post(':account_id/adjustments')
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

  /**
   * Freeze an account
   * @remarks Its open orders and waiting stops are cancelled, their money stays in it. From then on orders,
   * quotes, matched bets, transfers, payouts and signatures of its wallet are refused (409
   * `account_frozen`), and payouts and transfers that wait are held. Reads, cancels and deposits work.
   */
  @Post(':account_id/freeze')
  @HttpCode(200)
  @ApiErrors(NO_ACCOUNT)
  freeze(
    @CurrentPrincipal() principal: Principal,
    @Param('account_id') accountId: string,
    @Body() { reason }: FreezeAccountDto,
  ): Promise<AccountDto> {
    return this.freezing.freeze(principal, accountId, reason);
  }

  /**
   * Unfreeze an account
   * @remarks Everything works again; payouts and transfers that were held go on. With `FOUR_EYES` a
   * proposal. Never one’s own account.
   */
  @Post(':account_id/unfreeze')
  @HttpCode(200)
  @ApiOkResponse({ type: AccountDto })
  @ApiProposed()
  @ApiErrors(OWN_ACCOUNT, INSUFFICIENT_SCOPE, NO_ACCOUNT)
  async unfreeze(
    @CurrentPrincipal() principal: Principal,
    @Param('account_id') accountId: string,
    @Body() { reason }: UnfreezeAccountDto,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AccountDto | ApprovalDto> {
    return answerProposable(
      response,
      await this.freezing.unfreeze(principal, accountId, reason ?? null, key),
    );
  }
}
