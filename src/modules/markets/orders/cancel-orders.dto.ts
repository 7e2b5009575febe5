import { formatId } from '../../../domain/ids.js';
import { QueryBoolean, QueryText } from '../../../platform/http/validation/query.js';

/** Which orders `DELETE /orders` cancels: those of one market, or all. */
export class CancelOrdersQueryDto {
  /**
   * Cancels the orders of this market.
   * @example "BTC-USD"
   */
  @QueryText(64, 'Cancels the orders of this market.')
  market_id?: string;

  /** `true` cancels the orders of every market; one of `market_id` and `all=true` must be given. */
  @QueryBoolean('`true` cancels the orders of every market.')
  all?: boolean;

  /** One of the caller's own accounts; without it, the credential's own. */
  @QueryText(64, "One of the caller's own accounts; without it, the credential's own.")
  account_id?: string;
}

/** What `DELETE /orders` cancelled. */
export class CancelledOrdersDto {
  /**
   * Ids of the orders that were live and are now cancelled, oldest first.
   * @example ["ord_0000000001D"]
   */
  cancelled: string[];
}

export function toCancelledOrdersDto(orderIds: readonly number[]): CancelledOrdersDto {
  return { cancelled: orderIds.map((orderId) => formatId('ord', orderId)) };
}
