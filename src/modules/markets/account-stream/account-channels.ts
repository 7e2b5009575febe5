import {
  serverEvents,
  socketChannel,
  streamChannel,
} from '../../../kit/realtime/asyncapi/event-catalogue.js';
import {
  CancelAfterDto,
  CancelOnDisconnectDto,
  CancelSwitchDto,
  ConnectionSwitchDto,
} from '../cancel-switches/cancel-switch.dto.js';
import { AccountReferenceDto } from '../../accounts/access/account-reference.dto.js';
import { AmendOrderMessageDto, CancelOrderDto } from '../order-sockets/order-entry.dto.js';
import type { OrderEntryClientEvents } from '../order-sockets/order-entry.events.js';
import { CancelledOrdersDto, CancelOrdersQueryDto } from '../orders/cancel-orders.dto.js';
import { OrderBatchDto, PlaceOrderBatchDto } from '../orders/order-batch.dto.js';
import { OrderWithFillsDto } from '../orders/order.dto.js';
import { PlaceOrderDto } from '../orders/place-order.dto.js';
import {
  AccountEventEnvelopeDto,
  AccountSnapshotDto,
  AccountUpdateDto,
  FollowAccountDto,
  FollowedAccountDto,
} from './account-stream.dto.js';
import { ACCOUNT_REQUIREMENT } from '../../accounts/access/account-requirement.js';
import type { AccountClientEvents, AccountServerEvents } from './account-stream.events.js';

const envelope = AccountEventEnvelopeDto;

const EVENTS = serverEvents<AccountServerEvents>({
  'account.snapshot': { summary: 'The account as it is', envelope, data: AccountSnapshotDto },
  'account.update': {
    summary: 'What has changed in the account since `previous_sequence`',
    envelope,
    data: AccountUpdateDto,
  },
});

export const ACCOUNT_SOCKET = socketChannel<
  AccountClientEvents & OrderEntryClientEvents,
  AccountServerEvents
>({
  namespace: '/account',
  title: 'Own accounts',
  description:
    'Own orders, fills and balances in the order of their commits, and order entry, which needs `markets:trade` and ' +
    'takes from the budget that the routes of `/orders` have. Any number of messages may be on their way at once; a ' +
    'repeat of an order is found by its `client_order_id`.',
  requirement: ACCOUNT_REQUIREMENT,
  receives: {
    subscribe: {
      summary: 'Follow an account, from a snapshot or from the last sequence that the client has',
      message: FollowAccountDto,
      answer: FollowedAccountDto,
    },
    unsubscribe: { summary: 'Follow an account no longer', message: AccountReferenceDto, answer: null },
    'orders.place': { summary: 'Place an order', message: PlaceOrderDto, answer: OrderWithFillsDto },
    'orders.batch': { summary: 'Place up to 100 orders', message: PlaceOrderBatchDto, answer: OrderBatchDto },
    'orders.amend': { summary: 'Amend an order', message: AmendOrderMessageDto, answer: OrderWithFillsDto },
    'orders.cancel': { summary: 'Cancel an order', message: CancelOrderDto, answer: OrderWithFillsDto },
    'orders.cancel_all': {
      summary: 'Cancel all orders, of one market or of every market',
      message: CancelOrdersQueryDto,
      answer: CancelledOrdersDto,
    },
    'orders.cancel_after': {
      summary: 'Cancel all orders of an account unless this is said again in time',
      message: CancelAfterDto,
      answer: CancelSwitchDto,
    },
    'orders.cancel_on_disconnect': {
      summary: 'Cancel all orders of an account when this connection is lost, or the service with it',
      message: CancelOnDisconnectDto,
      answer: ConnectionSwitchDto,
    },
  },
  sends: EVENTS,
});

export const ACCOUNT_STREAM = streamChannel<AccountServerEvents>({
  path: '/accounts/{account_id}/stream',
  title: 'One account',
  description:
    'A snapshot, then what each commit has changed. `id` is the sequence of the account; who comes back with it gets ' +
    'what has changed since.',
  requirement: ACCOUNT_REQUIREMENT,
  parameters: {
    account_id: { description: "One of the caller's accounts, or `me`.", example: 'me' },
  },
  sends: EVENTS,
});
