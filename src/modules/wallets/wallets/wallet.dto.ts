import { ApiProperty } from '@nestjs/swagger';
import { IsString, Matches, MaxLength, MinLength } from 'class-validator';
import { amount, formatAmount } from '../../../domain/money/amount.js';
import type { WalletBalance } from './wallet-balances.js';
import type { WalletEntity } from '../access/wallet.entity.js';
import { WALLET_IDS } from '../ids.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';

const NAME_LENGTH_MAX = 100;

/** The body of `POST /wallets`. */
export class CreateWalletDto {
  /**
   * For people; need not be unique.
   * @example "Treasury"
   */
  @IsString()
  @MinLength(1)
  @MaxLength(NAME_LENGTH_MAX)
  @Matches(/^\P{C}*$/u, { message: '$property must not have control or formatting characters' })
  name: string;
}

/** What a wallet has of one asset. */
export class WalletBalanceDto {
  /** @example "ETH" */
  asset: string;
  /**
   * Free to use.
   * @example "1.25"
   */
  available: string;
  /**
   * Set aside for transfers that are under way.
   * @example "0.75"
   */
  held: string;
  /**
   * Available and held together.
   * @example "2"
   */
  total: string;
}

/** A custody wallet. Its money is in the same ledger as trading. */
export class WalletDto {
  /** @example "wlt_00000000001" */
  wallet_id: string;

  /**
   * The account of the ledger that has the wallet's money.
   * @example "acc_0000000001G"
   */
  account_id: string;

  /** @example "Treasury" */
  name: string;

  /** In order of the assets; an asset that the wallet never had is not listed. */
  @ApiProperty({ type: [WalletBalanceDto] })
  balances: WalletBalanceDto[];

  /** RFC 3339, UTC. */
  created_at: string;
}

export function toWalletDto(wallet: WalletEntity, balances: readonly WalletBalance[]): WalletDto {
  return {
    wallet_id: WALLET_IDS.format(Number(wallet.walletId)),
    account_id: ACCOUNT_IDS.format(Number(wallet.accountId)),
    name: wallet.name,
    balances: balances.map(({ asset, available, held }) => ({
      asset,
      available: formatAmount(available),
      held: formatAmount(held),
      total: formatAmount(amount(available + held)),
    })),
    created_at: wallet.createdAt.toISOString(),
  };
}
