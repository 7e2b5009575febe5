import { Injectable } from '@nestjs/common';
import type { Page, PageQueryDto } from '../../../kit/http/pagination.js';
import type { Principal } from '../../../kit/security/principal.js';
import { WebhookDeliveries } from '../delivery/webhook-deliveries.service.js';
import { type EndpointWithSecret, WebhookEndpoints } from '../delivery/webhook-endpoints.service.js';
import {
  type ListDeliveriesQueryDto,
  type RecoverDeliveriesDto,
  type RecoveredDeliveriesDto,
  toDeliveryDto,
  toDeliveryWithAttemptsDto,
  toEventsDto,
  type WebhookDeliveryDto,
  type WebhookDeliveryWithAttemptsDto,
  type WebhookEventsDto,
} from './webhook-delivery.dto.js';
import {
  type RegisterWebhookDto,
  toFilter,
  toWebhookDto,
  type UpdateWebhookDto,
  type WebhookDto,
  type WebhookWithSecretDto,
} from './webhook.dto.js';

/**
 * The engine's endpoints and deliveries in the words of the routes. Each throws what the engine's own method
 * throws.
 */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly deliveries: WebhookDeliveries,
  ) {}

  async register(
    principal: Principal,
    { url, event_types: eventTypes, filter = {}, ordered = false }: RegisterWebhookDto,
  ): Promise<WebhookWithSecretDto> {
    const endpoint = { url: url ?? null, ordered, eventTypes, filter: toFilter(filter) };
    return withSecret(await this.endpoints.register(principal, endpoint));
  }

  list(principal: Principal, query: PageQueryDto): Promise<Page<WebhookDto>> {
    return this.endpoints.list(principal, query, toWebhookDto);
  }

  async get(principal: Principal, webhookId: string): Promise<WebhookDto> {
    return toWebhookDto(await this.endpoints.get(principal, webhookId));
  }

  async update(
    principal: Principal,
    webhookId: string,
    { event_types: eventTypes, filter, ordered, disabled }: UpdateWebhookDto,
  ): Promise<WebhookDto> {
    const change = {
      ...(eventTypes && { eventTypes }),
      ...(filter && { filter: toFilter(filter) }),
      ...(ordered !== undefined && { ordered }),
      ...(disabled !== undefined && { disabled }),
    };
    return toWebhookDto(await this.endpoints.update(principal, webhookId, change));
  }

  remove(principal: Principal, webhookId: string): Promise<void> {
    return this.endpoints.remove(principal, webhookId);
  }

  async rotateSecret(principal: Principal, webhookId: string): Promise<WebhookWithSecretDto> {
    return withSecret(await this.endpoints.rotateSecret(principal, webhookId));
  }

  async test(principal: Principal, webhookId: string): Promise<WebhookDeliveryDto> {
    return toDeliveryDto(await this.deliveries.test(principal, webhookId));
  }

  listDeliveries(
    principal: Principal,
    webhookId: string,
    query: ListDeliveriesQueryDto,
  ): Promise<Page<WebhookDeliveryDto>> {
    return this.deliveries.list(principal, webhookId, query, toDeliveryDto);
  }

  async getDelivery(
    principal: Principal,
    webhookId: string,
    deliveryId: string,
  ): Promise<WebhookDeliveryWithAttemptsDto> {
    return toDeliveryWithAttemptsDto(await this.deliveries.get(principal, webhookId, deliveryId));
  }

  async resend(principal: Principal, webhookId: string, deliveryId: string): Promise<WebhookDeliveryDto> {
    return toDeliveryDto(await this.deliveries.resend(principal, webhookId, deliveryId));
  }

  async recover(
    principal: Principal,
    webhookId: string,
    { since }: RecoverDeliveriesDto,
  ): Promise<RecoveredDeliveriesDto> {
    return { recovered: await this.deliveries.recover(principal, webhookId, new Date(since)) };
  }

  async listEvents(principal: Principal, webhookId: string, query: PageQueryDto): Promise<WebhookEventsDto> {
    return toEventsDto(await this.deliveries.events(principal, webhookId, query));
  }
}

function withSecret({ endpoint, secret }: EndpointWithSecret): WebhookWithSecretDto {
  return { ...toWebhookDto(endpoint), secret };
}
