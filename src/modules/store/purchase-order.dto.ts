import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { IsOffsetTime } from './is-offset-time.js';
import {
  PURCHASE_ORDER_STATUSES,
  type PurchaseOrderEntity,
  type PurchaseOrderStatus,
} from './purchase-order.entity.js';

const INT32_MAX = 2 ** 31 - 1;

/** The body of `POST /store/order`. */
export class PlacePurchaseOrderDto {
  /** A number of one's own choice that no order has; left out or 0, the service gives the next free one. */
  @ApiPropertyOptional({ type: 'integer', format: 'int64' })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  id?: number;

  /**
   * The pet to order; it must be available.
   * @example 2
   */
  @ApiProperty({ type: 'integer', format: 'int64' })
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  petId: number;

  /**
   * How many; 1 where it is 0 or left out. With `UNIQUE_PETS` there is one of each pet, and more are refused.
   * @example 7
   */
  @ApiPropertyOptional({ type: 'integer', format: 'int32' })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(INT32_MAX)
  quantity?: number;

  /**
   * When the pet is to be shipped: an RFC 3339 time with any offset.
   * @example "2026-12-01T09:00:00.000Z"
   */
  @IsOptional()
  @IsOffsetTime()
  shipDate?: string;

  /** How far the purchase is; `placed` where it is left out. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsIn(PURCHASE_ORDER_STATUSES)
  status?: PurchaseOrderStatus;

  /** Whether all is done; `false` where it is left out. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsBoolean()
  complete?: boolean;
}

/** The body of `PATCH /admin/store/orders/{orderId}`: what is left out stays as it is. */
export class AdvancePurchaseOrderDto {
  /**
   * Where the purchase is now; it never goes back.
   * @example "approved"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsIn(PURCHASE_ORDER_STATUSES)
  status?: PurchaseOrderStatus;

  /** Whether all is done; what is done stays done. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsBoolean()
  complete?: boolean;
}

/** A purchase order, with the fields of the Petstore's `Order`. */
export class PurchaseOrderDto {
  /** @example 1 */
  @ApiProperty({ type: 'integer', format: 'int64' })
  id: number;

  /** @example 2 */
  @ApiProperty({ type: 'integer', format: 'int64' })
  petId: number;

  /** @example 7 */
  @ApiProperty({ type: 'integer', format: 'int32' })
  quantity: number;

  /**
   * RFC 3339 UTC; absent where none was asked for.
   * @example "2026-12-01T09:00:00.000Z"
   */
  @ApiPropertyOptional({ format: 'date-time' })
  shipDate?: string;

  @ApiProperty({ enum: PURCHASE_ORDER_STATUSES })
  status: PurchaseOrderStatus;

  complete: boolean;
}

export function toPurchaseOrderDto(order: PurchaseOrderEntity): PurchaseOrderDto {
  return {
    id: Number(order.orderId),
    petId: Number(order.petId),
    quantity: order.quantity,
    ...(order.shipDate && { shipDate: order.shipDate.toISOString() }),
    status: order.status,
    complete: order.complete,
  };
}
