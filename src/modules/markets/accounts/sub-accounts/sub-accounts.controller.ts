import { Body, Controller, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  VALIDATION_FAILED,
  FORBIDDEN,
  CONFLICT,
  IDEMPOTENCY_KEY_REUSED,
} from '../../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../../kit/http/api-errors.js';
import { IdempotencyKeyHeader } from '../../../../kit/http/idempotency/idempotency-key.js';
import { Idempotent } from '../../../../kit/http/idempotency/idempotent.js';
import { answer } from '../../../../kit/http/idempotency/replay.js';
import { Authenticated } from '../../../../kit/security/credentials.js';
import { CurrentPrincipal } from '../../../../kit/security/current-principal.js';
import type { Principal } from '../../../../kit/security/principal.js';
import { ReachedAccountDto } from '../account.dto.js';
import { CreateSubAccountDto } from './sub-account.dto.js';
import { SubAccounts } from './sub-accounts.service.js';

/** Accounts beside the main one. */
@ApiTags('Markets')
@Authenticated({ callers: 'logged_in_users' })
@Controller('accounts')
export class SubAccountsController {
  constructor(private readonly subAccounts: SubAccounts) {}

  /**
   * Open a sub-account
   * @remarks A trading account beside the main one, which trades at once. `POST /accounts/{account_id}/transfers` moves
   * money between one's accounts, and limits of payouts and wallets count over all of them.
   */
  @Post()
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
}
