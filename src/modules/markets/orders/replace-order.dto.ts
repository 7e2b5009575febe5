import { ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { AcceptsFields } from '../../../kit/fields/field-marks.js';
import { IsPlainDecimal } from '../../../kit/http/validation/is-plain-decimal.js';
import { type OrderWithFillsDto } from './order.dto.js';
import { PlaceOrderDto } from './place-order.dto.js';

/** The body of `POST /orders/{order_id}/replace`: the new order, in the account and the market of the one that goes. */
@AcceptsFields('orders')
export class ReplaceOrderDto extends OmitType(PlaceOrderDto, [
  'market_id',
  'account_id',
  'quote_size',
] as const) {
  /**
   * Instead of `size`: how much both orders together may fill. The new order gets what the first one has left of it at the
   * moment of the replacement, so a fill on the way is never bought twice; where that is nothing, the replacement is
   * refused (`size_below_filled`).
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal()
  total_size?: string;
}

export class ReplacedOrderDto {
  /** The order that went, `cancelled` with `status_reason` `replaced`, with what it had filled. */
  replaced: OrderWithFillsDto;
  /** The new order: `rejected` where it could not be accepted any more; `status_reason` then tells why. */
  order: OrderWithFillsDto;
}

/** Bodies that run against the demo data as they stand. */
export const REPLACE_ORDER_EXAMPLES = {
  limit: {
    summary: 'Offer less, and only to those who wait for nobody',
    value: { side: 'buy', type: 'limit', price: '59000.00', size: '0.25', post_only: true },
  },
} as const;
