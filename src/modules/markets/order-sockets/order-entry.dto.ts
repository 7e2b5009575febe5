import { IsString, MaxLength } from 'class-validator';
import { AcceptsFields } from '../../../kit/fields/field-marks.js';
import { AmendOrderDto } from '../orders/amend-order.dto.js';

const ORDER_ID_LENGTH_MAX = 64;

/** The order that a message cancels. */
export class CancelOrderDto {
  /** @example "ord_0000000001D" */
  @IsString()
  @MaxLength(ORDER_ID_LENGTH_MAX)
  order_id: string;
}

/** The order that a message amends, and its new price, size, or both. */
@AcceptsFields('orders')
export class AmendOrderMessageDto extends AmendOrderDto {
  /** @example "ord_0000000001D" */
  @IsString()
  @MaxLength(ORDER_ID_LENGTH_MAX)
  order_id: string;
}
