import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { type ApiError, type ErrorEnvelope, errorEnvelope } from '../../../kit/http/errors.js';
import { OrderWithFillsDto } from './order.dto.js';
import { PLACE_ORDER_EXAMPLES, PlaceOrderDto } from './place-order.dto.js';

export const BATCH_ORDERS_MAX = 100;

/** The body of `POST /orders/batch`. */
@ApiExtraModels(PlaceOrderDto)
export class PlaceOrderBatchDto {
  /** Unknown, so that the validation of the body leaves the items alone: each is validated on its own. */
  @ApiProperty({
    type: 'array',
    items: { $ref: getSchemaPath(PlaceOrderDto) },
    minItems: 1,
    maxItems: BATCH_ORDERS_MAX,
    description: 'Order requests, placed in this order; a bad one fails alone.',
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(BATCH_ORDERS_MAX)
  orders: unknown[];
}

/** How a request says that one of its orders was refused; `requestId` goes into the error. */
export function refusedResult(
  error: ApiError,
  requestId: string,
): { status: number; error: ErrorEnvelope['error'] } {
  return { status: error.status, error: errorEnvelope(error, requestId).error };
}

/** A point for each order; what has more than a batch may have is refused by its validation. */
export function costOfBatch(body: unknown): number {
  const orders = (body as Partial<PlaceOrderBatchDto> | null | undefined)?.orders;
  return Array.isArray(orders) ? Math.min(orders.length, BATCH_ORDERS_MAX) : 1;
}

/** What became of one of many orders: `order` or `error`. */
@ApiExtraModels(OrderWithFillsDto)
export class OrderResultDto {
  order?: OrderWithFillsDto;
  /** The error, as the envelope has it. */
  @ApiPropertyOptional({
    type: 'object',
    allOf: [{ $ref: getSchemaPath('Error') }],
  } as never)
  error?: ErrorEnvelope['error'];
}

/** What became of one order of a batch, with the status that `POST /orders` would have had. */
export class OrderBatchResultDto extends OrderResultDto {
  /**
   * 201 for a new order, 200 for a repeated one, else the status of the error.
   * @example 201
   */
  @ApiProperty({ type: 'integer' })
  status: number;
}

export class OrderBatchDto {
  /** One for each order, in their order. */
  results: OrderBatchResultDto[];
}

/** A body that runs against the demo data as they stand. */
export const ORDER_BATCH_EXAMPLES = {
  ladder: {
    summary: 'Two orders at once',
    value: { orders: [PLACE_ORDER_EXAMPLES.limit.value, PLACE_ORDER_EXAMPLES.event.value] },
  },
} as const;
