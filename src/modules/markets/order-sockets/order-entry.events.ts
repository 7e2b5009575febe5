import type { Acknowledgement } from '../../../platform/realtime/socket-gateway.js';
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

type Message<Content, Answer> = (
  message: Content,
  acknowledge: (answer: Acknowledgement<Answer>) => void,
) => void;

/** What clients of the namespace `/account` may send to trade; each is acknowledged as its HTTP route answers. */
export interface OrderEntryClientEvents {
  'orders.place': Message<PlaceOrderDto, OrderWithFillsDto>;
  'orders.batch': Message<PlaceOrderBatchDto, OrderBatchDto>;
  'orders.amend': Message<AmendOrderMessageDto, OrderWithFillsDto>;
  'orders.cancel': Message<CancelOrderDto, OrderWithFillsDto>;
  'orders.cancel_all': Message<CancelOrdersQueryDto, CancelledOrdersDto>;
  'orders.cancel_after': Message<CancelAfterDto, CancelSwitchDto>;
  'orders.cancel_on_disconnect': Message<CancelOnDisconnectDto, ConnectionSwitchDto>;
}
