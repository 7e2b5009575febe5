import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { VALIDATION_FAILED, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { PathParam } from '../../../kit/http/path-param.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { CutQueryDto, LiabilityProofDto } from './liabilities.dto.js';
import { LiabilityProofs } from './liability-proofs.service.js';
import { ACCOUNT_READ } from '../../accounts/scopes.js';
import { WALLETS_READ } from '../../wallets/scopes.js';

const NO_PROOF = NOT_FOUND.means(
  'there is no cut of that time, its leaves are deleted, or the account had nothing.',
);

/** Proofs that somebody is in what the service owes. */
@ApiTags('Proof')
@Controller()
export class ProofController {
  constructor(private readonly proofs: LiabilityProofs) {}

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
}
