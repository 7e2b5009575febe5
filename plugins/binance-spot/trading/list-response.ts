import type { OrderListDto } from '../../../src/index.js';
import { clientIdOf, listNumberOf, orderNumberOf } from './order-response.js';

const CONTINGENCIES = { oco: 'OCO', bracket: 'OTO' } as const satisfies Record<OrderListDto['type'], string>;

/** Every list of the dialect has one: where the client gave none, it is our own id. */
export function clientListIdOf(list: OrderListDto): string {
  return list.client_order_list_id ?? list.order_list_id;
}

/** A list as it is queried. */
export function orderListOf(list: OrderListDto, symbol: string): object {
  const isOpen = list.status === 'open';
  return {
    orderListId: listNumberOf(list),
    contingencyType: CONTINGENCIES[list.type],
    listStatusType: isOpen ? 'EXEC_STARTED' : 'ALL_DONE',
    listOrderStatus: isOpen ? 'EXECUTING' : 'ALL_DONE',
    listClientOrderId: clientListIdOf(list),
    transactionTime: changedAtMs(list),
    symbol,
    orders: list.orders.map((order) => ({
      symbol,
      orderId: orderNumberOf(order.order_id),
      clientOrderId: clientIdOf(order),
    })),
  };
}

/** A list as the stream of its user tells it. */
export function listStatusOf(list: OrderListDto, symbol: string): object {
  const isOpen = list.status === 'open';
  return {
    e: 'listStatus',
    E: Date.now(),
    s: symbol,
    g: listNumberOf(list),
    c: CONTINGENCIES[list.type],
    l: isOpen ? 'EXEC_STARTED' : 'ALL_DONE',
    L: isOpen ? 'EXECUTING' : 'ALL_DONE',
    r: 'NONE',
    C: clientListIdOf(list),
    T: changedAtMs(list),
    O: list.orders.map((order) => ({
      s: symbol,
      i: orderNumberOf(order.order_id),
      c: clientIdOf(order),
    })),
  };
}

function changedAtMs({ orders }: OrderListDto): number {
  return Math.max(...orders.map(({ updated_at: updatedAt }) => Date.parse(updatedAt)));
}
