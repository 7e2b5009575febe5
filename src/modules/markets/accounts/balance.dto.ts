import { amount, formatAmount } from '../../../domain/money/amount.js';
import type { BalanceEntity } from './balance.entity.js';

/** What an account has of one asset. */
export class BalanceDto {
  /** @example "USD" */
  asset: string;
  /**
   * Free to use.
   * @example "9985000"
   */
  available: string;
  /**
   * Set aside for open orders, payouts and transfers.
   * @example "15000"
   */
  held: string;
  /**
   * Available and held together.
   * @example "10000000"
   */
  total: string;
}

export function toBalanceDto(balance: BalanceEntity): BalanceDto {
  return {
    asset: balance.asset,
    available: formatAmount(balance.available),
    held: formatAmount(balance.held),
    total: formatAmount(amount(balance.available + balance.held)),
  };
}
