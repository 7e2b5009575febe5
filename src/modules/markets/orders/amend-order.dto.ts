import { ApiHideProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import type { FieldChanges } from '../../../domain/fields.js';
import { AcceptsFields } from '../../../kit/fields/field-marks.js';
import { IsPlainDecimal } from '../../../kit/http/validation/is-plain-decimal.js';

/** The body of `PATCH /orders/{order_id}`: a new price, a new size, or both, or other values of fields. */
@AcceptsFields('orders')
export class AmendOrderDto {
  /**
   * The new price. It gives the order a new place in the queue, and may make it trade at once.
   * @example "59990"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal()
  price?: string;

  /**
   * The new total, filled part included. A smaller size keeps the place in the queue; the filled size
   * itself ends the order as `cancelled`.
   * @example "0.2"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal()
  size?: string;

  /** Those that plugins have declared; null removes a value, what is not named stays. */
  @ApiHideProperty()
  fields?: FieldChanges;
}
