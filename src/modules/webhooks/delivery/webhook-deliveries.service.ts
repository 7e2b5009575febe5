import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, LessThan, MoreThanOrEqual } from 'typeorm';
import { THIS_TRANSACTION } from '../../../kit/changes/changes.js';
import { CONFLICT, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import {
  decodeCursor,
  encodeCursor,
  type Page,
  pageOf,
  type PageQueryDto,
} from '../../../kit/http/pagination.js';
import type { Principal } from '../../../kit/security/principal.js';
import { WebhookAttemptEntity } from './webhook-attempt.entity.js';
import { WebhookDeliveryEntity, type DeliveryStatus } from './webhook-delivery.entity.js';
import { WebhookDispatcher } from './webhook-dispatcher.js';
import type { WebhookEndpointEntity } from './webhook-endpoint.entity.js';
import type { WebhookEventEntity } from './webhook-event.entity.js';
import { MADE_BEFORE } from './event-order.js';
import { WebhookEndpoints, webhookIdOf } from './webhook-endpoints.service.js';
import { WEBHOOK_TEST } from './webhook-own-events.js';
import { WebhookTiming } from './webhook-timing.js';
import { DELIVERY_IDS } from '../ids.js';

export interface DeliveryQuery extends PageQueryDto {
  readonly status?: DeliveryStatus;
  /** Made then or later. */
  readonly from?: string;
}

/** What follows one event in the order of events. */
export interface EventPage {
  readonly events: readonly WebhookEventEntity[];
  /** What comes after these; the given one where there are none. */
  readonly cursor: string | null;
  readonly hasMore: boolean;
}

/** As many failed deliveries are sent again at once, at most. */
const RECOVERED_AT_ONCE_MAX = 1_000;

/** A delivery with its event and all its attempts, the first one first. */
export interface DeliveryWithAttempts {
  readonly delivery: WebhookDeliveryEntity;
  readonly attempts: readonly WebhookAttemptEntity[];
}

/** The deliveries to the endpoints of principals, with their results. Kept for 30 days. */
@Injectable()
export class WebhookDeliveries {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly endpoints: WebhookEndpoints,
    private readonly timing: WebhookTiming,
    private readonly dispatcher: WebhookDispatcher,
  ) {}

  /** Newest first, each with its event. Throws `not_found` (404), `invalid_cursor` (400). */
  async list<Item>(
    principal: Principal,
    webhookId: string,
    query: DeliveryQuery,
    toItem: (delivery: WebhookDeliveryEntity) => Item,
  ): Promise<Page<Item>> {
    return this.page(await this.endpoints.get(principal, webhookId), query, toItem);
  }

  /** Of any owner, for operators: each with its last attempt, where there was one. Throws as `list`. */
  async listOfAny<Item>(
    webhookId: string,
    query: DeliveryQuery,
    toItem: (delivery: WebhookDeliveryEntity, last: WebhookAttemptEntity | undefined) => Item,
  ): Promise<Page<Item>> {
    const endpoint = await this.endpoints.getOfAny(webhookId);
    const { data, next_cursor } = await this.page(endpoint, query, (delivery) => delivery);
    const attempts = await this.dataSource.manager.findBy(
      WebhookAttemptEntity,
      data.map(({ deliveryId, attempts: number }) => ({ deliveryId, number })),
    );
    const last = new Map(attempts.map((attempt) => [attempt.deliveryId, attempt]));
    return { data: data.map((each) => toItem(each, last.get(each.deliveryId))), next_cursor };
  }

  /** Throws `not_found` (404). */
  async get(principal: Principal, webhookId: string, deliveryId: string): Promise<DeliveryWithAttempts> {
    const delivery = await this.find(await this.endpoints.get(principal, webhookId), deliveryId);
    const attempts = await this.dataSource.manager.find(WebhookAttemptEntity, {
      where: { deliveryId: delivery.deliveryId },
      order: { number: 'ASC' },
    });
    return { delivery, attempts };
  }

  /**
   * Sends a delivery again, under its old `webhook-id`: at once, then by the schedule from its beginning. Throws
   * `not_found` (404), and `conflict` (409) while it is pending, or the webhook is disabled or has no address.
   */
  async resend(principal: Principal, webhookId: string, deliveryId: string): Promise<WebhookDeliveryEntity> {
    const endpoint = await this.endpoints.get(principal, webhookId);
    assertSends(endpoint);
    const delivery = await this.find(endpoint, deliveryId);
    const now = this.timing.now();
    const { affected } = await this.dataSource.manager.update(
      WebhookDeliveryEntity,
      [
        { deliveryId: delivery.deliveryId, status: 'delivered' },
        { deliveryId: delivery.deliveryId, status: 'failed' },
      ],
      { status: 'pending', step: 0, nextAttemptAt: now, updatedAt: now },
    );
    if (affected === 0) throw new ApiError(CONFLICT, 'This delivery is still on its way.');
    this.dispatcher.wake();
    return this.find(endpoint, deliveryId);
  }

  /**
   * Sends the oldest failed deliveries since then again, as `resend` does each, and answers how many. Throws `not_found`
   * (404), and `conflict` (409) where the webhook is disabled or has no address.
   */
  async recover(principal: Principal, webhookId: string, since: Date): Promise<number> {
    const endpoint = await this.endpoints.get(principal, webhookId);
    assertSends(endpoint);
    const now = this.timing.now();
    const [, recovered] = await this.dataSource.query<[unknown, number]>(
      `WITH failed AS MATERIALIZED (
         SELECT delivery_id FROM webhook_deliveries
         WHERE endpoint_id = $1 AND status = 'failed' AND created_at >= $2
         ORDER BY delivery_id LIMIT ${RECOVERED_AT_ONCE_MAX} FOR UPDATE
       )
       UPDATE webhook_deliveries SET status = 'pending', step = 0, next_attempt_at = $3, updated_at = $3
       WHERE delivery_id IN (SELECT delivery_id FROM failed)`,
      [endpoint.endpointId, since, now],
    );
    if (recovered > 0) this.dispatcher.wake();
    return recovered;
  }

  /**
   * The endpoint's events in the order in which they were made, whatever became of their deliveries. Following the cursor
   * misses none. Throws `not_found` (404), `invalid_cursor` (400).
   */
  async events(principal: Principal, webhookId: string, { limit, cursor }: PageQueryDto): Promise<EventPage> {
    const { endpointId } = await this.endpoints.get(principal, webhookId);
    const after = decodeCursor(cursor, ['integer', 'integer']) ?? [-1, 0];
    const deliveries = await this.dataSource.manager
      .createQueryBuilder(WebhookDeliveryEntity, 'delivery')
      .innerJoinAndSelect('delivery.event', 'event')
      .where('delivery.endpoint_id = :endpointId', { endpointId })
      .andWhere('(delivery.made_by, delivery.event_id) > (:madeBy, :eventId)', {
        madeBy: after[0],
        eventId: after[1],
      })
      .andWhere(`delivery.made_by < ${MADE_BEFORE}`)
      .orderBy('delivery.madeBy')
      .addOrderBy('delivery.eventId')
      .limit(limit + 1)
      .getMany();
    const shown = deliveries.slice(0, limit);
    const last = shown.at(-1);
    return {
      events: shown.map(({ event }) => event),
      cursor:
        last === undefined ? (cursor ?? null) : encodeCursor([Number(last.madeBy), Number(last.eventId)]),
      hasMore: deliveries.length > limit,
    };
  }

  /**
   * Sends one event of the type `webhook.test` to this endpoint alone, or stores it for being pulled, whatever it is
   * registered for. Throws `not_found` (404), and `conflict` (409) where the webhook is disabled.
   */
  async test(principal: Principal, webhookId: string): Promise<WebhookDeliveryEntity> {
    const endpoint = await this.endpoints.get(principal, webhookId);
    assertEnabled(endpoint);
    const { endpointId, owner, url } = endpoint;
    const now = this.timing.now();
    const payload = JSON.stringify({
      type: WEBHOOK_TEST.name,
      timestamp: now.toISOString(),
      data: { webhook_id: webhookIdOf(endpointId) },
    });
    const deliveryId = await this.dataSource.transaction(async (manager) => {
      const [row] = await manager.query<[{ delivery_id: string }]>(
        `WITH event AS (
           INSERT INTO webhook_events (type, payload, principals, made_by, is_fanned_out)
           VALUES ($1, $2, ARRAY[$3::text], ${THIS_TRANSACTION}, true) RETURNING event_id, made_by
         )
         INSERT INTO webhook_deliveries (event_id, made_by, endpoint_id, step, status, next_attempt_at)
         SELECT event_id, made_by, $4::bigint, $5::integer, $6::text, $7::timestamptz FROM event
         RETURNING delivery_id`,
        [
          WEBHOOK_TEST.name,
          payload,
          owner,
          endpointId,
          this.timing.lastStep,
          url === null ? 'stored' : 'pending',
          url === null ? null : now,
        ],
      );
      return row.delivery_id;
    });
    this.dispatcher.wake();
    return this.dataSource.manager.findOneOrFail(WebhookDeliveryEntity, {
      where: { deliveryId },
      relations: { event: true },
    });
  }

  private async page<Item>(
    { endpointId }: WebhookEndpointEntity,
    { limit, cursor, status, from }: DeliveryQuery,
    toItem: (delivery: WebhookDeliveryEntity) => Item,
  ): Promise<Page<Item>> {
    const before = decodeCursor(cursor, ['integer']);
    const rows = await this.dataSource.manager.find(WebhookDeliveryEntity, {
      where: {
        endpointId,
        ...(status && { status }),
        ...(from !== undefined && { createdAt: MoreThanOrEqual(new Date(from)) }),
        ...(before && { deliveryId: LessThan(String(before[0])) }),
      },
      relations: { event: true },
      order: { deliveryId: 'DESC' },
      take: limit + 1,
    });
    return pageOf(rows, limit, ({ deliveryId }) => [Number(deliveryId)], toItem);
  }

  private async find(
    { endpointId }: WebhookEndpointEntity,
    deliveryId: string,
  ): Promise<WebhookDeliveryEntity> {
    const id = DELIVERY_IDS.parse(deliveryId);
    const delivery =
      id === undefined
        ? null
        : await this.dataSource.manager.findOne(WebhookDeliveryEntity, {
            where: { deliveryId: String(id), endpointId },
            relations: { event: true },
          });
    if (delivery === null) throw new ApiError(NOT_FOUND, 'This webhook has no such delivery.');
    return delivery;
  }
}

function assertEnabled({ disabledAt }: WebhookEndpointEntity): void {
  if (disabledAt === null) return;
  throw new ApiError(CONFLICT, 'This webhook is disabled. Enable it first.');
}

function assertSends(endpoint: WebhookEndpointEntity): void {
  assertEnabled(endpoint);
  if (endpoint.url !== null) return;
  throw new ApiError(CONFLICT, 'This webhook has no address: pull its events.');
}
