import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiPageResponse, PageQueryDto, type Page } from '../../../kit/http/pagination.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { SignatureRecordDto } from './signature.dto.js';
import { SignaturesService } from './signatures.service.js';
import { WALLETS_READ } from '../scopes.js';

/** Signatures by the keys of the caller's wallets. */
@ApiTags('Wallets')
@Controller('wallets/:wallet_id/signatures')
export class SignaturesController {
  constructor(private readonly signatures: SignaturesService) {}

  /**
   * List what a wallet’s keys have signed
   * @remarks Newest first: who asked for it, when, and the digest of what was signed.
   */
  @Get()
  @RequireScopes({ anyOf: [WALLETS_READ] })
  @ApiPageResponse(SignatureRecordDto)
  @ApiErrors(NOT_FOUND.means('there is no such wallet of one’s own.'))
  list(
    @CurrentPrincipal() principal: Principal,
    @Param('wallet_id') walletId: string,
    @Query() query: PageQueryDto,
  ): Promise<Page<SignatureRecordDto>> {
    return this.signatures.list(principal, walletId, query);
  }
}
