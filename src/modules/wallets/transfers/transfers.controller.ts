import { Body, Controller, Delete, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  APPROVAL_REQUIRED,
  INSUFFICIENT_SCOPE,
  NOT_FOUND,
  DESTINATION_NOT_ALLOWED,
  LIMIT_EXCEEDED,
  UNPROCESSABLE,
} from '../../../kit/http/error-codes.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { KYC_REQUIRED } from '../../users/errors.js';
import {
  DESTINATION_NOT_FOUND,
  DUPLICATE_CLIENT_TRANSFER_ID,
  INVALID_ADDRESS,
  CHAIN_UNAVAILABLE,
  TRANSFER_NOT_PENDING,
} from '../errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { CsvRows } from '../../../kit/http/csv/csv-rows.js';
import { IdempotencyKeyHeader } from '../../../kit/http/idempotency/idempotency-key.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { answer } from '../../../kit/http/idempotency/replay.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { PathParam } from '../../../kit/http/path-param.js';
import { MayCarryReceipt } from '../../../kit/http/receipts/carried-receipt.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { ROLE_REQUIRED } from '../../accounts/access/account-roles.js';
import { needsStepUp } from '../../../kit/security/step-up.js';
import { TRANSFER_COLUMNS } from './transfer-columns.js';
import {
  CreateTransferDto,
  ListTransfersQueryDto,
  TRANSFER_FROM_ACCOUNT_EXAMPLES,
  TRANSFER_FROM_WALLET_EXAMPLES,
  TransferDto,
  TransferWithStatesDto,
} from './transfer.dto.js';
import { TransferListService } from './transfer-list.service.js';
import { TransfersService } from './transfers.service.js';
import { WALLETS_READ, WALLETS_WRITE } from '../scopes.js';
import { ACCOUNT_READ } from '../../accounts/scopes.js';

const READ = { anyOf: [WALLETS_READ] } as const;
const READ_ACCOUNT = { anyOf: [WALLETS_READ, ACCOUNT_READ] } as const;
const WRITE = { anyOf: [WALLETS_WRITE] } as const;
const RESET_LATELY = APPROVAL_REQUIRED.means(
  'with `FOUR_EYES`, money goes to no other owner inside for 30 days after somebody else has set the password of its owner.',
);
const LEAVES_OWNER = needsStepUp('For money that leaves its owner.');

const OwnTradingAccount = (): ParameterDecorator =>
  PathParam('account_id', { description: "One of the caller's trading accounts, or `me`." });

/** Money that moves between accounts, wallets and addresses outside. */
@ApiTags('Wallets')
@Controller()
export class TransfersController {
  constructor(
    private readonly transfers: TransfersService,
    private readonly history: TransferListService,
  ) {}

  /**
   * Create a transfer out of a wallet
   * @remarks To an account or a wallet inside, anybody’s: at once, `completed` in the answer. To an address
   * outside: the amount and the most that the chain may take are held, and the transfer goes its way from
   * `pending`, or from `pending_approval` where it is a large one or, with `FOUR_EYES`, somebody else has
   * set the password of its owner in the last 30 days.
   */
  @Post('wallets/:wallet_id/transfers')
  @RequireScopes(WRITE)
  @Idempotent()
  @ApiBody({ type: CreateTransferDto, examples: TRANSFER_FROM_WALLET_EXAMPLES })
  @ApiErrors(
    INSUFFICIENT_SCOPE,
    RESET_LATELY,
    LEAVES_OWNER,
    NOT_FOUND.means('no such wallet of yours'),
    DESTINATION_NOT_FOUND,
    REFUSALS.asset_not_found,
    DUPLICATE_CLIENT_TRANSFER_ID,
    REFUSALS.insufficient_funds,
    DESTINATION_NOT_ALLOWED,
    INVALID_ADDRESS,
    KYC_REQUIRED,
    LIMIT_EXCEEDED.means('also where a destination inside takes less for the time being.'),
    REFUSALS.self_limits_changed.means(
      'what the destination takes changed at the same moment; send it again.',
    ),
    REFUSALS.amount_too_precise,
    UNPROCESSABLE.means(
      'the chain does not carry the asset. All but the first two are of transfers over a chain.',
    ),
    CHAIN_UNAVAILABLE.means('the chain is not connected, or silent.'),
  )
  async createFromWallet(
    @CurrentPrincipal() principal: Principal,
    @Param('wallet_id') walletId: string,
    @Body() body: CreateTransferDto,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TransferDto> {
    return answer(response, await this.transfers.createFromWallet(principal, walletId, body, key));
  }

  /**
   * Create a transfer out of a trading account
   * @remarks Into a wallet or another account, anybody’s: at once, `completed` in the answer. The owner and a
   * `treasurer` of the account may; limits are those of the owner.
   */
  @Post('accounts/:account_id/transfers')
  @RequireScopes(WRITE)
  @Idempotent()
  @ApiBody({ type: CreateTransferDto, examples: TRANSFER_FROM_ACCOUNT_EXAMPLES })
  @ApiErrors(
    ...ROLE_REQUIRED,
    RESET_LATELY,
    LEAVES_OWNER,
    REFUSALS.account_not_found,
    DESTINATION_NOT_FOUND,
    REFUSALS.asset_not_found,
    DUPLICATE_CLIENT_TRANSFER_ID,
    REFUSALS.insufficient_funds,
    DESTINATION_NOT_ALLOWED,
    LIMIT_EXCEEDED.means('the destination takes less for the time being.'),
    REFUSALS.self_limits_changed.means(
      'what the destination takes changed at the same moment; send it again.',
    ),
  )
  @MayCarryReceipt('transfer', ({ transfer_id }: TransferDto) => transfer_id)
  async createFromAccount(
    @CurrentPrincipal() principal: Principal,
    @OwnTradingAccount() accountId: string,
    @Body() body: CreateTransferDto,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TransferDto> {
    return answer(response, await this.transfers.createFromAccount(principal, accountId, body, key));
  }

  /**
   * List transfers of a wallet
   * @remarks Newest first: what left it and what arrived. Where few meet the filter, a page may be short,
   * even empty, and still have a `next_cursor`.
   */
  @Get('wallets/:wallet_id/transfers')
  @RequireScopes(READ)
  @ApiPageResponse(TransferDto)
  @CsvRows(TRANSFER_COLUMNS)
  @ApiErrors(NOT_FOUND)
  list(
    @CurrentPrincipal() principal: Principal,
    @Param('wallet_id') walletId: string,
    @Query() query: ListTransfersQueryDto,
  ): Promise<Page<TransferDto>> {
    return this.history.list(principal, walletId, query);
  }

  /**
   * List transfers of a trading account
   * @remarks Newest first: what left it and what arrived from accounts and wallets. Where few meet the filter, a
   * page may be short, even empty, and still have a `next_cursor`.
   */
  @Get('accounts/:account_id/transfers')
  @RequireScopes(READ_ACCOUNT)
  @ApiPageResponse(TransferDto)
  @CsvRows(TRANSFER_COLUMNS)
  @ApiErrors(REFUSALS.account_not_found)
  listOfAccount(
    @CurrentPrincipal() principal: Principal,
    @OwnTradingAccount() accountId: string,
    @Query() query: ListTransfersQueryDto,
  ): Promise<Page<TransferDto>> {
    return this.history.listOfAccount(principal, accountId, query);
  }

  /** Get a transfer of a trading account, with the states that it was in */
  @Get('accounts/:account_id/transfers/:transfer_id')
  @RequireScopes(READ_ACCOUNT)
  @ApiErrors(REFUSALS.account_not_found, NOT_FOUND.means('no such transfer of this account.'))
  @MayCarryReceipt('transfer', ({ transfer_id }: TransferWithStatesDto) => transfer_id)
  getOfAccount(
    @CurrentPrincipal() principal: Principal,
    @OwnTradingAccount() accountId: string,
    @Param('transfer_id') transferId: string,
  ): Promise<TransferWithStatesDto> {
    return this.transfers.getOfAccount(principal, accountId, transferId);
  }

  /** Get a transfer, with the states that it was in */
  @Get('wallets/:wallet_id/transfers/:transfer_id')
  @RequireScopes(READ)
  @ApiErrors(NOT_FOUND)
  get(
    @CurrentPrincipal() principal: Principal,
    @Param('wallet_id') walletId: string,
    @Param('transfer_id') transferId: string,
  ): Promise<TransferWithStatesDto> {
    return this.transfers.get(principal, walletId, transferId);
  }

  /**
   * Cancel a transfer
   * @remarks While it is `pending_approval` or `pending`. What was held is available again.
   */
  @Delete('wallets/:wallet_id/transfers/:transfer_id')
  @RequireScopes(WRITE)
  @ApiOkResponse({ type: TransferWithStatesDto, description: 'The cancelled transfer.' })
  @ApiErrors(NOT_FOUND, TRANSFER_NOT_PENDING.means('it is on its way, or has ended.'))
  cancel(
    @CurrentPrincipal() principal: Principal,
    @Param('wallet_id') walletId: string,
    @Param('transfer_id') transferId: string,
  ): Promise<TransferWithStatesDto> {
    return this.transfers.cancel(principal, walletId, transferId);
  }
}
