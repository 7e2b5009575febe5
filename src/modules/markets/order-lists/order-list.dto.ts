import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { PageQueryDto } from '../../../kit/http/pagination.js';
import { QueryText } from '../../../kit/http/validation/query.js';
import { OrderDto } from '../orders/order.dto.js';
import { CLIENT_ORDER_ID, PlaceOrderDto } from '../orders/place-order.dto.js';

export const ORDER_LIST_TYPES = ['oco', 'bracket'] as const;
export type OrderListType = (typeof ORDER_LIST_TYPES)[number];

export const ORDER_LIST_STATUSES = ['open', 'done'] as const;
export type OrderListStatus = (typeof ORDER_LIST_STATUSES)[number];

/** An order of a list, as it would be placed alone. */
export class ListedOrderDto extends OmitType(PlaceOrderDto, [
  'account_id',
  'quote_size',
  'display_size',
  'client_order_id',
  'fields',
] as const) {}

/** The body of `POST /order-lists`. */
export class PlaceOrderListDto {
  /**
   * `oco`: two exits, one of which cancels the other. `bracket`: an entry, and two exits that it arms as it fills.
   * @example "oco"
   */
  @ApiProperty({ enum: ORDER_LIST_TYPES })
  @IsIn(ORDER_LIST_TYPES)
  type: OrderListType;

  /**
   * All on one market. The exits are a `limit` and a `stop` or `stop_limit` of one side and size, good till cancelled; on
   * event markets the stop has no limit price. The entry of a bracket comes first, on the other side and of the same size.
   */
  @ApiProperty({ type: [ListedOrderDto], minItems: 2, maxItems: 3 })
  @IsArray()
  @ArrayMinSize(2)
  @ArrayMaxSize(3)
  @ValidateNested({ each: true })
  @Type(() => ListedOrderDto)
  orders: ListedOrderDto[];

  /**
   * The caller's own id, unique in the account for good: 1 to 64 printable ASCII characters without spaces. Sending it
   * again answers the list that it made (200); with other terms it is refused with `duplicate_client_order_id` (409).
   */
  @ApiPropertyOptional({ pattern: CLIENT_ORDER_ID.source })
  @IsOptional()
  @Matches(CLIENT_ORDER_ID, {
    message: '$property must be 1 to 64 printable ASCII characters without spaces',
  })
  client_order_list_id?: string;

  /** One of the caller's own accounts; without it, the credential's own. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(64)
  account_id?: string;
}

/** The filters of `GET /order-lists`. */
export class ListOrderListsQueryDto extends PageQueryDto {
  /** One of the caller's own accounts; without it, the credential's own. */
  @QueryText(64, "One of the caller's own accounts; without it, the credential's own.")
  account_id?: string;
}

/** Orders that were placed together, and end each other. */
export class OrderListDto {
  /** @example "olt_0000000001C" */
  order_list_id: string;
  client_order_list_id: string | null;
  account_id: string;
  /** @example "BTC-USD" */
  market_id: string;
  @ApiProperty({ enum: ORDER_LIST_TYPES })
  type: OrderListType;
  /** `open` while any order of it is live. */
  @ApiProperty({ enum: ORDER_LIST_STATUSES })
  status: OrderListStatus;
  /**
   * The entry, if there is one, then the limit order and the stop. An exit that awaits its entry is `untriggered` with
   * `status_reason` `awaiting_entry`; one that ended since another order of the list traded, triggered or ended is
   * `cancelled` with `status_reason` `order_list`.
   */
  orders: OrderDto[];
  /** RFC 3339, UTC. */
  created_at: string;
}

/** Bodies that run against the demo data as they stand. */
export const ORDER_LIST_EXAMPLES = {
  oco: {
    summary: 'Sell at 70,000 dollars, or once the price has fallen to 55,000',
    value: {
      type: 'oco',
      orders: [
        { market_id: 'BTC-USD', side: 'sell', type: 'limit', price: '70000', size: '0.1' },
        {
          market_id: 'BTC-USD',
          side: 'sell',
          type: 'stop_limit',
          stop_price: '55000',
          price: '54900',
          size: '0.1',
        },
      ],
    },
  },
  bracket: {
    summary: 'Buy at 58,000 dollars, and then sell at 65,000 or at 55,000',
    value: {
      type: 'bracket',
      orders: [
        { market_id: 'BTC-USD', side: 'buy', type: 'limit', price: '58000', size: '0.1' },
        { market_id: 'BTC-USD', side: 'sell', type: 'limit', price: '65000', size: '0.1' },
        { market_id: 'BTC-USD', side: 'sell', type: 'stop', stop_price: '55000', size: '0.1' },
      ],
    },
  },
} as const;
