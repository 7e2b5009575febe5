import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiTags } from '@nestjs/swagger';
import {
  VALIDATION_FAILED,
  INVALID_CURSOR,
  CONFLICT,
  RATE_LIMITED,
  NOT_FOUND,
} from '../../../kit/http/error-codes.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { ApiPageResponse, type Page, PageQueryDto } from '../../../kit/http/pagination.js';
import { PathParam } from '../../../kit/http/path-param.js';
import { Public, RequireScopes } from '../../../kit/security/credentials.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { CutQueryDto, LiabilitiesDto, LiabilityProofDto, LiabilityRunDto } from './liabilities.dto.js';
import { LiabilityCuts } from './liability-cuts.service.js';
import { LiabilityProofs } from './liability-proofs.service.js';
import { LiabilityRuns } from './liability-runs.service.js';
import { ACCOUNT_READ } from '../../accounts/scopes.js';
import { WALLETS_READ } from '../../wallets/scopes.js';
import { ADMIN } from '../../../kit/security/scope.js';

const NO_CUT = 'there is no cut of that time';
const NO_PROOF = NOT_FOUND.means(`${NO_CUT}, its leaves are deleted, or the account had nothing.`);

/** What the service owes, for everybody to check. */
@ApiTags('Proof')
@Controller()
export class LiabilitiesController {
  constructor(
    private readonly cuts: LiabilityCuts,
    private readonly proofs: LiabilityProofs,
    private readonly runs: LiabilityRuns,
  ) {}

  /**
   * Get what the service owes
   * @remarks The newest cut, or the newest that is not after `as_of`: of each midnight (UTC), and of moments that operators
   * have asked for. Accounts prove with `GET /accounts/{account_id}/proof` that they are in it.
   */
  @Get('liabilities')
  @Public()
  @ApiErrors(VALIDATION_FAILED, NOT_FOUND.means(`${NO_CUT}.`))
  get(@Query() query: CutQueryDto): Promise<LiabilitiesDto> {
    return this.cuts.get(query);
  }

  /**
   * List what the service has owed
   * @remarks All published cuts, newest first. They never change and are kept for ever.
   */
  @Get('liabilities/cuts')
  @Public()
  @ApiPageResponse(LiabilitiesDto)
  @ApiErrors(VALIDATION_FAILED, INVALID_CURSOR)
  list(@Query() query: PageQueryDto): Promise<Page<LiabilitiesDto>> {
    return this.cuts.list(query);
  }

  /**
   * Prove that an account is in what the service owes
   * @remarks Salts and paths from the parts of its balance to the published root. Its owner keeps it: the service deletes
   * the leaves of old cuts.
   */
  @Get('accounts/:account_id/proof')
  @RequireScopes({ anyOf: [ACCOUNT_READ] })
  @ApiErrors(VALIDATION_FAILED, REFUSALS.account_not_found, NO_PROOF)
  ofAccount(
    @CurrentPrincipal() principal: Principal,
    @PathParam('account_id', { description: "One of the caller's accounts, or `me`.", example: 'me' })
    accountId: string,
    @Query() query: CutQueryDto,
  ): Promise<LiabilityProofDto> {
    return this.proofs.ofAccount(principal, accountId, query);
  }

  /**
   * Prove that a wallet is in what the service owes
   * @remarks As of an account: a wallet has one of its own in the ledger.
   */
  @Get('wallets/:wallet_id/proof')
  @RequireScopes({ anyOf: [WALLETS_READ] })
  @ApiErrors(
    VALIDATION_FAILED,
    NOT_FOUND.means(`${NO_PROOF.meaning} Or there is no such wallet of one’s own.`),
  )
  ofWallet(
    @CurrentPrincipal() principal: Principal,
    @Param('wallet_id') walletId: string,
    @Query() query: CutQueryDto,
  ): Promise<LiabilityProofDto> {
    return this.proofs.ofWallet(principal, walletId, query);
  }

  /**
   * List the cuts that were asked for
   * @remarks Newest first, with how far they are. They are deleted after `RETENTION_LIABILITIES_DAYS`.
   */
  @Get('admin/liabilities')
  @RequireScopes({ anyOf: [ADMIN] })
  @ApiPageResponse(LiabilityRunDto)
  @ApiErrors(VALIDATION_FAILED, INVALID_CURSOR)
  listRuns(@Query() query: PageQueryDto): Promise<Page<LiabilityRunDto>> {
    return this.runs.list(query);
  }

  /**
   * Take a cut of what the service owes, now
   * @remarks It is taken in the background and then published. `GET /admin/liabilities` tells how far it is.
   */
  @Post('admin/liabilities')
  @HttpCode(202)
  @RequireScopes({ anyOf: [ADMIN] })
  @Idempotent()
  @ApiAcceptedResponse({ type: LiabilityRunDto, description: 'It has begun, or will soon.' })
  @ApiErrors(CONFLICT.means('one is under way.'), RATE_LIMITED.means('24 in 24 hours.'))
  request(@CurrentPrincipal() principal: Principal): Promise<LiabilityRunDto> {
    return this.runs.request(principal);
  }
}
