import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsOptional, IsString, MaxLength } from 'class-validator';
import { QueryBoolean, QueryText } from '../../../kit/http/validation/query.js';
import { OrderResultDto } from './order-batch.dto.js';
import { ORDER_IDS } from '../names/ids.js';

export const CANCELLED_AT_ONCE_MAX = 100;

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

/** The body of `POST /orders/cancel`: 1 to 100 orders of one account, by either id. */
export class CancelListedOrdersDto {
  /**
   * One of the caller's own accounts; without it, the credential's own.
   * @example "acc_00000000001"
   */
  @IsOptional()
  @IsString()
  @MaxLength(64)
  account_id?: string | null;

  /**
   * Orders by their ids.
   * @example ["ord_0000000001D"]
   */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(CANCELLED_AT_ONCE_MAX)
  @IsString({ each: true })
  @MaxLength(64, { each: true })
  order_ids?: string[] | null;

  /**
   * Orders by the ids that their placer gave them.
   * @example ["ladder-1"]
   */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(CANCELLED_AT_ONCE_MAX)
  @IsString({ each: true })
  @MaxLength(64, { each: true })
  client_order_ids?: string[] | null;
}

/** What became of one named order. */
export class CancellationResultDto extends OrderResultDto {
  /**
   * Null where a `client_order_id` was given that is not open.
   * @example "ord_0000000001D"
   */
  @ApiProperty({ type: String, nullable: true })
  order_id: string | null;

  /** As it was given, or as the order has it. */
  @ApiProperty({ type: String, nullable: true })
  client_order_id: string | null;

  /**
   * 200 for a cancelled order; else the status of the error: 403 `market_not_allowed`, 404 `order_not_found`,
   * 409 `order_not_open`.
   * @example 200
   */
  @ApiProperty({ type: 'integer' })
  status: number;
}

/** What `POST /orders/cancel` did. */
export class CancellationsDto {
  /** One for each id: those of `order_ids`, then those of `client_order_ids`, in their order. */
  results: CancellationResultDto[];
}

/** A point for each order; what has more than may be cancelled at once is refused by its validation. */
export function costOfCancellations(body: unknown): number {
  const { order_ids, client_order_ids } = (body ?? {}) as Partial<CancelListedOrdersDto>;
  const count = [order_ids, client_order_ids].reduce(
    (sum, ids) => sum + (Array.isArray(ids) ? ids.length : 0),
    0,
  );
  return Math.min(Math.max(count, 1), CANCELLED_AT_ONCE_MAX);
}

export function toCancelledOrdersDto(orderIds: readonly number[]): CancelledOrdersDto {
  return { cancelled: orderIds.map((orderId) => ORDER_IDS.format(orderId)) };
}
