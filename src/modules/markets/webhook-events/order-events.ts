/** The webhook events of orders and fills. */
import type { OrderStatus } from '../../../domain/engine/types.js';
import { WebhookEventType } from '../../../kit/webhooks/webhook-event-type.js';
import { FillDto } from '../orders/fill.dto.js';
import { OrderDto } from '../orders/order.dto.js';
import { ACCOUNT_READ } from '../../accounts/scopes.js';

const SCOPE = ACCOUNT_READ;

function orderEvent(name: string, description: string): WebhookEventType<OrderDto> {
  return new WebhookEventType({
    name: `order.${name}`,
    description,
    data: OrderDto,
    scope: SCOPE,
    isOfLedger: true,
  });
}

export const ORDER_ACCEPTED = orderEvent(
  'accepted',
  'An order was accepted and is live: it rests in the book, or waits for its trigger.',
);

export const ORDER_UPDATED = orderEvent(
  'updated',
  'A live order changed and is still live: it was partially filled, amended or triggered. Changes that follow ' +
    'closely upon each other are told as one.',
);

/** By the state in which an order has ended. */
const ENDS: Readonly<Partial<Record<OrderStatus, WebhookEventType<OrderDto>>>> = {
  filled: orderEvent('filled', 'An order was filled in full.'),
  cancelled: orderEvent(
    'cancelled',
    'An order was cancelled: by its owner, with its market, or by its own terms.',
  ),
  expired: orderEvent('expired', 'An order reached the end of its time.'),
  rejected: orderEvent(
    'rejected',
    'A stop that was triggered, or an order that was to replace another one, could not be accepted.',
  ),
};

export const FILL_CREATED = new WebhookEventType({
  name: 'fill.created',
  description: 'An order was filled, in part or in full.',
  data: FillDto,
  scope: SCOPE,
  isOfLedger: true,
});

export const ORDER_EVENT_TYPES = [ORDER_ACCEPTED, ORDER_UPDATED, ...Object.values(ENDS), FILL_CREATED];

/** The event for an order that has just changed. */
export function orderEventOf(status: OrderStatus, isNew: boolean): WebhookEventType<OrderDto> {
  return ENDS[status] ?? (isNew ? ORDER_ACCEPTED : ORDER_UPDATED);
}
