import type { ClientEvent } from '../../../kit/realtime/socket-gateway.js';
import type {
  CancelAfterDto,
  CancelOnDisconnectDto,
  CancelSwitchDto,
  ConnectionSwitchDto,
} from '../cancel-switches/cancel-switch.dto.js';
import type { CancelledOrdersDto, CancelOrdersQueryDto } from '../orders/cancel-orders.dto.js';
import type { OrderBatchDto, PlaceOrderBatchDto } from '../orders/order-batch.dto.js';
import type { OrderWithFillsDto } from '../orders/order.dto.js';
import type { PlaceOrderDto } from '../orders/place-order.dto.js';
import type { AmendOrderMessageDto, CancelOrderDto } from './order-entry.dto.js';

/** What clients of the namespace `/account` may send to trade; each is acknowledged as its HTTP route answers. */
export interface OrderEntryClientEvents {
  'orders.place': ClientEvent<PlaceOrderDto, OrderWithFillsDto>;
  'orders.batch': ClientEvent<PlaceOrderBatchDto, OrderBatchDto>;
  'orders.amend': ClientEvent<AmendOrderMessageDto, OrderWithFillsDto>;
  'orders.cancel': ClientEvent<CancelOrderDto, OrderWithFillsDto>;
  'orders.cancel_all': ClientEvent<CancelOrdersQueryDto, CancelledOrdersDto>;
  'orders.cancel_after': ClientEvent<CancelAfterDto, CancelSwitchDto>;
  'orders.cancel_on_disconnect': ClientEvent<CancelOnDisconnectDto, ConnectionSwitchDto>;
}
