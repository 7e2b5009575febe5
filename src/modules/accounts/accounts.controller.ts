import { Body, Controller, Get, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  CONFLICT,
  FORBIDDEN,
  IDEMPOTENCY_KEY_REUSED,
  VALIDATION_FAILED,
} from '../../kit/http/error-codes.js';
import { ApiErrors } from '../../kit/http/api-errors.js';
import { IdempotencyKeyHeader } from '../../kit/http/idempotency/idempotency-key.js';
import { Idempotent } from '../../kit/http/idempotency/idempotent.js';
import { answer } from '../../kit/http/idempotency/replay.js';
import { ApiPageResponse, type Page, PageQueryDto } from '../../kit/http/pagination.js';
import { Authenticated, RequireScopes } from '../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../kit/security/current-principal.js';
import type { Principal } from '../../kit/security/principal.js';
import { AccountId } from './access/account-id.js';
import { ACCOUNT_REQUIREMENT } from './access/account-requirement.js';
import { AccountFields } from './account-fields.service.js';
import { ChangeAccountDto, ReachedAccountDto } from './account.dto.js';
import { AccountsService } from './accounts.service.js';
import { REFUSALS } from './commands/refusals.js';
import { CreateSubAccountDto } from './opening/sub-account.dto.js';
import { SubAccounts } from './opening/sub-accounts.service.js';

/** Accounts on which the caller has a role, and those that it makes beside the main one. */
@ApiTags('Markets')
@Controller('accounts')
export class AccountsController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly subAccounts: SubAccounts,
    private readonly fields: AccountFields,
  ) {}

  /**
   * Open a sub-account
   * @remarks A trading account beside the main one, which trades at once. `POST /accounts/{account_id}/transfers` moves
   * money between one's accounts, and limits of payouts and wallets count over all of them.
   */
  @Post()
  @Authenticated({ callers: 'logged_in_users' })
  @Idempotent()
  @ApiErrors(
    VALIDATION_FAILED,
    FORBIDDEN.means('it takes the session of a logged-in user.'),
    CONFLICT.means('there are 100 already.'),
    IDEMPOTENCY_KEY_REUSED,
  )
  async create(
    @CurrentPrincipal() principal: Principal,
    @Body() body: CreateSubAccountDto,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ReachedAccountDto> {
    return answer(response, await this.subAccounts.create(principal, body, key));
  }

  /**
   * List one's accounts
   * @remarks Newest first: one's own, and those of others on which one has a role.
   */
  @Get()
  @RequireScopes(ACCOUNT_REQUIREMENT)
  @ApiPageResponse(ReachedAccountDto)
  list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: PageQueryDto,
  ): Promise<Page<ReachedAccountDto>> {
    return this.accounts.list(principal, query);
  }

  /**
   * Change the fields of an account
   * @remarks Those that plugins have added to accounts, of an account of one’s own: what is not named stays, null removes
   * a value. Without such plugins there is nothing to change.
   */
  @Patch(':account_id')
  @ApiBody({
    type: ChangeAccountDto,
    examples: { nothing: { summary: 'Nothing, where no plugin adds fields', value: {} } },
  })
  @Authenticated({ callers: 'logged_in_users' })
  @ApiErrors(
    VALIDATION_FAILED,
    FORBIDDEN.means('it takes the session of the account’s owner.'),
    REFUSALS.account_not_found,
  )
  change(
    @CurrentPrincipal() principal: Principal,
    @AccountId() accountId: string,
    @Body() { fields }: ChangeAccountDto,
  ): Promise<ReachedAccountDto> {
    return this.fields.change(principal, accountId, fields);
  }
}
