import { Body, Controller, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ApprovalDto } from '../../../kit/approvals/approval.dto.js';
import { answerProposable, ApiProposed } from '../../../kit/approvals/proposed.js';
import { INSUFFICIENT_SCOPE, NOT_FOUND, RELATED_PERSON } from '../../../kit/http/error-codes.js';
import { REFUSALS } from '../commands/refusals.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { CsvRows } from '../../../kit/http/csv/csv-rows.js';
import { IdempotencyKeyHeader } from '../../../kit/http/idempotency/idempotency-key.js';
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
import { AccountFields } from '../account-fields.service.js';
import { AccountDto } from '../account.dto.js';
import { answer } from '../../../kit/http/idempotency/replay.js';
import { AccountFreezing } from './account-freezing.service.js';
import { ACCOUNT_LIST_COLUMNS, ListAllAccountsQueryDto, OperatorAccountDto } from './account-list.dto.js';
import { AccountList } from './account-list.service.js';
import {
  ChangeAnyAccountDto,
  FreezeAccountDto,
  OpenAccountDto,
  UnfreezeAccountDto,
} from './account-operations.dto.js';
import { AccountOperationsService } from './account-operations.service.js';

const OWN_ACCOUNT = RELATED_PERSON.means('it is your own account');
const NO_ACCOUNT = REFUSALS.account_not_found.means('there is no such account of anybody.');

/** Accounts, as operators list, open and freeze them. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_COMPLIANCE))
@Controller('admin/accounts')
export class AdminAccountsController {
  constructor(
    private readonly operations: AccountOperationsService,
    private readonly accounts: AccountList,
    private readonly freezing: AccountFreezing,
    private readonly fields: AccountFields,
  ) {}

  /**
   * List and search the accounts of all
   * @remarks Newest first, with `q` in the order of their names; the house’s own are not among them. Where few meet
   * the filter, a page may be short, even empty, and still have a `next_cursor`.
   */
  @Get()
  @RequireScopes(operators(OPERATOR_SUPPORT, OPERATOR_COMPLIANCE, OPERATOR_FINANCE))
  @ApiErrors(NOT_FOUND.means('there is no such owner.'))
  @ApiPageResponse(OperatorAccountDto)
  @CsvRows(ACCOUNT_LIST_COLUMNS, { fields: { on: 'accounts', reader: 'operators' } })
  list(@Query() query: ListAllAccountsQueryDto): Promise<Page<OperatorAccountDto>> {
    return this.accounts.list(query);
  }

  /** Open another trading account for a user or a client */
  @Post()
  @RequireScopes(operators(OPERATOR_SUPPORT))
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
   * Change the fields of an account
   * @remarks Those that plugins have added to accounts: what is not named stays, null removes a value.
   */
  @Patch(':account_id')
  @ApiBody({
    type: ChangeAnyAccountDto,
    examples: { nothing: { summary: 'Nothing, where no plugin adds fields', value: {} } },
  })
  @RequireScopes(operators(OPERATOR_SUPPORT))
  @ApiErrors(NO_ACCOUNT)
  change(
    @Param('account_id') accountId: string,
    @Body() { fields }: ChangeAnyAccountDto,
  ): Promise<AccountDto> {
    return this.fields.changeAny(accountId, fields);
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
