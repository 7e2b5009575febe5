import { Injectable } from '@nestjs/common';
import { LEAF_PARTS } from '../../../domain/proof/liability-proof.js';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { Principal } from '../../../kit/security/principal.js';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { WalletAccessService } from '../../wallets/access/wallet-access.service.js';
import type { CutQueryDto, LiabilityPartDto, LiabilityProofDto } from './liabilities.dto.js';
import { LiabilityCuts } from './liability-cuts.service.js';
import { LiabilityTrees } from './liability-trees.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';

/**
 * Proofs for who may read the account. Throws `not_found` (404) where there is no cut by then, where the account had
 * nothing, and where the leaves of the cut are deleted.
 */
@Injectable()
export class LiabilityProofs {
  constructor(
    private readonly access: AccountAccessService,
    private readonly wallets: WalletAccessService,
    private readonly cuts: LiabilityCuts,
    private readonly trees: LiabilityTrees,
  ) {}

  /** Throws `account_not_found` (404) for an account on which the caller has no role. */
  async ofAccount(principal: Principal, account: string, query: CutQueryDto): Promise<LiabilityProofDto> {
    return this.of(await this.access.accountIdOf(principal, account, 'read'), query);
  }

  /** Throws `not_found` (404) for a wallet that is none of the caller's. */
  async ofWallet(principal: Principal, wallet: string, query: CutQueryDto): Promise<LiabilityProofDto> {
    const { accountId } = await this.wallets.walletOf(principal, wallet);
    return this.of(Number(accountId), query);
  }

  private async of(accountId: number, query: CutQueryDto): Promise<LiabilityProofDto> {
    const cut = await this.cuts.find(query);
    const parts: LiabilityPartDto[] = [];
    for (let number = 1; number <= LEAF_PARTS; number++) {
      const part = await this.trees.partOf(cut, accountId, number);
      if (part === null)
        throw new ApiError(NOT_FOUND, 'The leaves of this cut are deleted. Take a later one.');
      if (part === 'absent') throw new ApiError(NOT_FOUND, 'Nothing was owed to this account then.');
      parts.push({ ...part, path: [...part.path] });
    }
    return {
      account_id: ACCOUNT_IDS.format(accountId),
      as_of: cut.asOf.toISOString(),
      sequence: Number(cut.sequence),
      parts,
      root: cut.rootHash,
    };
  }
}
