import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ConnectedSocket, MessageBody, type OnGatewayConnection, SubscribeMessage } from '@nestjs/websockets';
import type { DefaultEventsMap, Socket } from 'socket.io';
import { RateLimitedAs } from '../../../kit/rate-limit/rate-limit.guard.js';
import type { AuthenticatedSocketData } from '../../../kit/realtime/socket-authentication.js';
import { SocketGateway } from '../../../kit/realtime/socket-gateway.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import {
  CancelAfterDto,
  CancelOnDisconnectDto,
  type CancelSwitchDto,
  type ConnectionSwitchDto,
} from '../cancel-switches/cancel-switch.dto.js';
import { CancelSwitches } from '../cancel-switches/cancel-switches.service.js';
import { type CancelledOrdersDto, CancelOrdersQueryDto } from '../orders/cancel-orders.dto.js';
import { costOfBatch, type OrderBatchDto, PlaceOrderBatchDto } from '../orders/order-batch.dto.js';
import { OrderCancellationService } from '../orders/order-cancellation.service.js';
import { OrderEntryService } from '../orders/order-entry.service.js';
import { TRADE_REQUIREMENT } from '../orders/order-requirements.js';
import type { OrderWithFillsDto } from '../orders/order.dto.js';
import { PlaceOrderDto } from '../orders/place-order.dto.js';
import { ACCOUNT_REQUIREMENT } from '../../accounts/access/account-requirement.js';
import { AmendOrderMessageDto, CancelOrderDto } from './order-entry.dto.js';
import type { OrderEntryClientEvents } from './order-entry.events.js';

type OrderSocket = Socket<
  OrderEntryClientEvents,
  DefaultEventsMap,
  DefaultEventsMap,
  AuthenticatedSocketData
>;

/**
 * Order entry in the namespace `/account`: the operations of `/orders`, from the same services and out of the
 * same budget, any number of them on their way at once. A repeat is found by its `client_order_id`.
 */
@SocketGateway('/account', ACCOUNT_REQUIREMENT)
@RequireScopes(TRADE_REQUIREMENT)
@RateLimitedAs('orders')
@Injectable()
export class OrderEntryGateway implements OnGatewayConnection<OrderSocket> {
  constructor(
    private readonly entry: OrderEntryService,
    private readonly cancellation: OrderCancellationService,
    private readonly switches: CancelSwitches,
  ) {}

  handleConnection(socket: OrderSocket): void {
    socket.once('disconnect', () => this.switches.connectionLost(socket.id));
  }

  @SubscribeMessage('orders.place')
  async place(
    @CurrentPrincipal() principal: Principal,
    @MessageBody() order: PlaceOrderDto,
  ): Promise<OrderWithFillsDto> {
    const { body } = await this.entry.place(principal, order, undefined);
    return body;
  }

  @SubscribeMessage('orders.batch')
  @RateLimitedAs('orders', costOfBatch)
  async placeBatch(
    @CurrentPrincipal() principal: Principal,
    @MessageBody() batch: PlaceOrderBatchDto,
  ): Promise<OrderBatchDto> {
    const { body } = await this.entry.placeBatch(principal, batch, undefined, randomUUID());
    return body;
  }

  @SubscribeMessage('orders.amend')
  amend(
    @CurrentPrincipal() principal: Principal,
    @MessageBody() { order_id: orderId, ...amendment }: AmendOrderMessageDto,
  ): Promise<OrderWithFillsDto> {
    return this.entry.amend(principal, orderId, amendment);
  }

  @SubscribeMessage('orders.cancel')
  cancel(
    @CurrentPrincipal() principal: Principal,
    @MessageBody() { order_id: orderId }: CancelOrderDto,
  ): Promise<OrderWithFillsDto> {
    return this.cancellation.cancel(principal, orderId);
  }

  @SubscribeMessage('orders.cancel_all')
  cancelAll(
    @CurrentPrincipal() principal: Principal,
    @MessageBody() which: CancelOrdersQueryDto,
  ): Promise<CancelledOrdersDto> {
    return this.cancellation.cancelAll(principal, which);
  }

  @SubscribeMessage('orders.cancel_after')
  cancelAfter(
    @CurrentPrincipal() principal: Principal,
    @MessageBody() when: CancelAfterDto,
  ): Promise<CancelSwitchDto> {
    return this.switches.cancelAfter(principal, when);
  }

  @SubscribeMessage('orders.cancel_on_disconnect')
  cancelOnDisconnect(
    @ConnectedSocket() socket: OrderSocket,
    @CurrentPrincipal() principal: Principal,
    @MessageBody() which: CancelOnDisconnectDto,
  ): Promise<ConnectionSwitchDto> {
    return this.switches.cancelOnDisconnect(principal, socket, which);
  }
}
