import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import { PageQueryDto } from '../../../kit/http/pagination.js';
import { IsUtcTime } from '../../../kit/http/validation/is-utc-time.js';
import type { WebhookAttemptEntity } from '../delivery/webhook-attempt.entity.js';
import type { DeliveryWithAttempts, EventPage } from '../delivery/webhook-deliveries.service.js';
import {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  type WebhookDeliveryEntity,
} from '../delivery/webhook-delivery.entity.js';
import type { WebhookEventEntity } from '../delivery/webhook-event.entity.js';
import { DELIVERY_IDS, EVENT_IDS } from '../ids.js';

/** The query of `GET /news/webhooks/{webhook_id}/deliveries`. */
export class ListDeliveriesQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ enum: DELIVERY_STATUSES })
  @IsOptional()
  @IsIn(DELIVERY_STATUSES)
  status?: DeliveryStatus;

  /** Only deliveries that were made then or later. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsUtcTime()
  from?: string;
}

/** The body of `POST /news/webhooks/{webhook_id}/recover`. */
export class RecoverDeliveriesDto {
  /**
   * Failed deliveries that were made then or later are sent again.
   * @example "2026-11-21T12:00:00.000Z"
   */
  @IsUtcTime()
  since: string;
}

/** How many deliveries are sent again. */
export class RecoveredDeliveriesDto {
  /**
   * At most 1,000: where it is as many, ask again.
   * @example 3
   */
  @ApiProperty({ type: 'integer' })
  recovered: number;
}

/** An event of a webhook, as its deliveries have it. */
export class WebhookEventDto {
  /**
   * As the header `webhook-id` has it.
   * @example "evt_00000000001"
   */
  event_id: string;
  /** @example "news.published" */
  type: string;
  /** RFC 3339, UTC. */
  timestamp: string;
  /** What this document lists for the type, under `webhooks`. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  data: object;
}

/** Events of a webhook, oldest first. */
export class WebhookEventsDto {
  @ApiProperty({ type: [WebhookEventDto] })
  data: WebhookEventDto[];
  /** Where to go on, now or later; null until there has been an event. */
  @ApiProperty({ type: String, nullable: true })
  next_cursor: string | null;
  /** Whether more is there already. */
  has_more: boolean;
}

/** An event on its way to a webhook. */
export class WebhookDeliveryDto {
  /** @example "whd_00000000001" */
  delivery_id: string;
  /**
   * The event's, as the header `webhook-id` has it: the same at every attempt.
   * @example "evt_00000000001"
   */
  event_id: string;
  /** @example "news.published" */
  event_type: string;
  /**
   * `pending` until an attempt succeeds (`delivered`) or the last one has failed (`failed`). `stored` where the webhook has
   * no address.
   * @example "delivered"
   */
  @ApiProperty({ enum: DELIVERY_STATUSES })
  status: DeliveryStatus;
  /**
   * How often it was tried.
   * @example 1
   */
  @ApiProperty({ type: 'integer' })
  attempts_made: number;
  /** RFC 3339, UTC; null once it has ended. */
  @ApiProperty({ type: String, nullable: true })
  next_attempt_at: string | null;
  /** RFC 3339, UTC. */
  created_at: string;
  /** RFC 3339, UTC. */
  updated_at: string;
}

/** One attempt to deliver, and what came of it. */
export class WebhookAttemptDto {
  /**
   * From 1.
   * @example 1
   */
  @ApiProperty({ type: 'integer' })
  number: number;
  /** RFC 3339, UTC. */
  started_at: string;
  /** @example 48 */
  @ApiProperty({ type: 'integer' })
  duration_ms: number;
  /**
   * What the receiver answered; null where no answer came.
   * @example 204
   */
  @ApiProperty({ type: 'integer', nullable: true })
  response_status: number | null;
  /** The beginning of its body. */
  @ApiProperty({ type: String, nullable: true })
  response_body: string | null;
  /** Why no answer came, or what of it was not understood, such as its `Retry-After`; null where neither is so. */
  @ApiProperty({ type: String, nullable: true })
  error: string | null;
}

/** A delivery with what was sent, and with every attempt. */
export class WebhookDeliveryWithAttemptsDto extends WebhookDeliveryDto {
  /**
   * The body that is sent, to the byte.
   * @example "{\"type\":\"webhook.test\",\"timestamp\":\"2026-11-21T12:00:00.000Z\",\"data\":{\"webhook_id\":\"whk_00000000001\"}}"
   */
  payload: string;

  /** Oldest first. */
  @ApiProperty({ type: [WebhookAttemptDto] })
  attempts: WebhookAttemptDto[];
}

export function toDeliveryDto(delivery: WebhookDeliveryEntity): WebhookDeliveryDto {
  return {
    delivery_id: DELIVERY_IDS.format(Number(delivery.deliveryId)),
    event_id: EVENT_IDS.format(Number(delivery.eventId)),
    event_type: delivery.event.type,
    status: delivery.status,
    attempts_made: delivery.attempts,
    ...fieldsOf(delivery, 'nextAttemptAt', 'createdAt', 'updatedAt'),
  };
}

export function toDeliveryWithAttemptsDto({
  delivery,
  attempts,
}: DeliveryWithAttempts): WebhookDeliveryWithAttemptsDto {
  return {
    ...toDeliveryDto(delivery),
    payload: delivery.event.payload,
    attempts: attempts.map(toAttemptDto),
  };
}

export function toEventsDto({ events, cursor, hasMore }: EventPage): WebhookEventsDto {
  return { data: events.map(toEventDto), next_cursor: cursor, has_more: hasMore };
}

function toEventDto({ eventId, payload }: WebhookEventEntity): WebhookEventDto {
  return {
    event_id: EVENT_IDS.format(Number(eventId)),
    ...(JSON.parse(payload) as Omit<WebhookEventDto, 'event_id'>),
  };
}

function toAttemptDto(attempt: WebhookAttemptEntity): WebhookAttemptDto {
  return {
    ...fieldsOf(attempt, 'number', 'startedAt', 'durationMs', 'responseStatus', 'responseBody', 'error'),
  };
}
