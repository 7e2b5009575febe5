import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { VALIDATION_FAILED, INSUFFICIENT_SCOPE, CONFLICT, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { IdempotencyKeyHeader } from '../../../kit/http/idempotency/idempotency-key.js';
import { answer } from '../../../kit/http/idempotency/replay.js';
import { ApiPageResponse, PageQueryDto, type Page } from '../../../kit/http/pagination.js';
import { BOUND_KEY } from '../../../kit/security/bound-keys.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { CreateWalletDto, WalletDto } from './wallet.dto.js';
import { WalletsService } from './wallets.service.js';
import { WALLETS_READ, WALLETS_WRITE } from '../scopes.js';

/** The caller's own wallets. A foreign wallet answers like one that does not exist. */
@ApiTags('Wallets')
@Controller('wallets')
export class WalletsController {
  constructor(private readonly wallets: WalletsService) {}

  /**
   * Create a wallet
   * @remarks With a seed of its own, which never leaves the service, and an account of its own in the
   * ledger. It keeps money and does not trade.
   */
  @Post()
  @RequireScopes({ anyOf: [WALLETS_WRITE] })
  @ApiErrors(
    VALIDATION_FAILED,
    INSUFFICIENT_SCOPE,
    BOUND_KEY,
    REFUSALS.account_not_found.means('the credential has no money of its own.'),
    CONFLICT.means('there are 1,000 already.'),
  )
  async create(
    @CurrentPrincipal() principal: Principal,
    @Body() body: CreateWalletDto,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WalletDto> {
    return answer(response, await this.wallets.create(principal, body, key));
  }

  /**
   * List one’s own wallets
   * @remarks Newest first, with their balances.
   */
  @Get()
  @RequireScopes({ anyOf: [WALLETS_READ] })
  @ApiPageResponse(WalletDto)
  list(@CurrentPrincipal() principal: Principal, @Query() query: PageQueryDto): Promise<Page<WalletDto>> {
    return this.wallets.list(principal, query);
  }

  /**
   * Get a wallet
   * @remarks With its balances.
   */
  @Get(':wallet_id')
  @RequireScopes({ anyOf: [WALLETS_READ] })
  @ApiErrors(NOT_FOUND.means('there is no such wallet of one’s own.'))
  get(@CurrentPrincipal() principal: Principal, @Param('wallet_id') walletId: string): Promise<WalletDto> {
    return this.wallets.get(principal, walletId);
  }
}
