import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { Principal } from '../../../kit/security/principal.js';
import { WalletEntity } from './wallet.entity.js';
import { WALLET_IDS } from '../ids.js';

/**
 * Which wallets a principal acts on: those of the owner. To keys that are bound to a trading account there are none. A
 * foreign wallet answers exactly like one that does not exist.
 */
@Injectable()
export class WalletAccessService {
  constructor(@InjectRepository(WalletEntity) private readonly wallets: Repository<WalletEntity>) {}

  /** The principal's wallet that `text` names by its id. Throws `not_found` (404). */
  async walletOf(principal: Principal, text: string): Promise<WalletEntity> {
    const walletId = WALLET_IDS.parse(text);
    const wallet =
      walletId === undefined ? null : await this.wallets.findOneBy({ walletId: String(walletId) });
    if (wallet?.owner !== principal.accountOwner || principal.isBoundToAccount === true)
      throw walletNotFound();
    return wallet;
  }

  /** The wallet whose money this account has; null where it is that of none. */
  walletWith(accountId: number): Promise<WalletEntity | null> {
    return this.wallets.findOneBy({ accountId: String(accountId) });
  }

  /** A wallet of any owner, such as a transfer's destination; `undefined` if there is none. */
  async findWallet(text: string): Promise<WalletEntity | undefined> {
    const walletId = WALLET_IDS.parse(text);
    if (walletId === undefined) return undefined;
    return (await this.wallets.findOneBy({ walletId: String(walletId) })) ?? undefined;
  }
}

export function walletNotFound(): ApiError {
  return new ApiError(NOT_FOUND, 'There is no such wallet of yours. See GET /wallets.');
}
