import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IsPlainDecimal } from '../../../kit/http/validation/is-plain-decimal.js';

/** The body of `PATCH /orders/{order_id}`: a new price, a new size, or both. */
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
}
