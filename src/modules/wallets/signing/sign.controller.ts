import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import {
  VALIDATION_FAILED,
  INSUFFICIENT_SCOPE,
  APPROVAL_REQUIRED,
  NOT_FOUND,
} from '../../../kit/http/error-codes.js';
import { SIGNING_DENIED, ADDRESS_HOLDS_FUNDS } from '../errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { NEEDS_STEP_UP } from '../../../kit/security/step-up.js';
import { SignDto, SignedDto } from './signature.dto.js';
import { SIGN_EXAMPLES } from './sign-examples.js';
import { SignaturesService } from './signatures.service.js';
import { WALLETS_SIGN } from '../scopes.js';

/** Signing by the keys of the caller's wallets. */
@ApiTags('Wallets')
@Controller('wallets/:wallet_id/sign')
export class SignController {
  constructor(private readonly signatures: SignaturesService) {}

  /**
   * Sign a message or typed data
   * @remarks By the key of one of the wallet’s addresses. A message is signed in the form that its chain has
   * for messages: EIP-191 on ethereum, BIP-322 (simple) on bitcoin, version 0 of the off-chain messages on
   * solana; typed data by EIP-712. So nothing that is signed is a transaction, and no digest is signed as it
   * comes: 32 bytes are a message like any other. Typed data are checked whole: an unknown type, a missing
   * or surplus field, a value out of range is refused with its path. Every signature is recorded before it
   * is answered. From the first one on, what arrives at the address is credited only once it has been
   * collected.
   */
  @Post()
  @HttpCode(200)
  @RequireScopes({ anyOf: [WALLETS_SIGN] })
  @Idempotent()
  @ApiBody({ type: SignDto, examples: SIGN_EXAMPLES })
  @ApiErrors(
    VALIDATION_FAILED.means('with the path of what is wrong.'),
    INSUFFICIENT_SCOPE,
    NEEDS_STEP_UP,
    APPROVAL_REQUIRED.means(
      'somebody must approve first, then send the request again; or, with `FOUR_EYES`, somebody else has set the password of the wallet’s owner in the last 30 days.',
    ),
    NOT_FOUND.means('there is no such wallet of one’s own, or no such address in it.'),
    SIGNING_DENIED.means('the policy of the house forbids it.'),
    ADDRESS_HOLDS_FUNDS.means('credited money still lies at the address, which a signature could move.'),
  )
  sign(
    @CurrentPrincipal() principal: Principal,
    @Param('wallet_id') walletId: string,
    @Body() body: SignDto,
  ): Promise<SignedDto> {
    return this.signatures.sign(principal, walletId, body);
  }
}
