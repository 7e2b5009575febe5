import { type Amount, amount, formatAmount } from '../../../domain/money/amount.js';
import type { BalanceEntity } from './balance.entity.js';

/** What an account has of one asset. */
export class BalanceDto {
  /** @example "USD" */
  asset: string;
  /**
   * Free to use. Null for a past moment, of which only the total is on record.
   * @example "9985000"
   */
  available: string | null;
  /**
   * Set aside for open orders, payouts and transfers. Null for a past moment.
   * @example "15000"
   */
  held: string | null;
  /**
   * Available and held together.
   * @example "10000000"
   */
  total: string;
}

/** An asset's balance, wherever it was read. */
export type Balance = Pick<BalanceEntity, 'asset' | 'available' | 'held'>;

export function toBalanceDto(balance: Balance): BalanceDto {
  return {
    asset: balance.asset,
    available: formatAmount(balance.available),
    held: formatAmount(balance.held),
    total: formatAmount(amount(balance.available + balance.held)),
  };
}

export function toPastBalanceDto(asset: string, total: Amount): BalanceDto {
  return { asset, available: null, held: null, total: formatAmount(total) };
}
