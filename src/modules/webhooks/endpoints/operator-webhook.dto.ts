import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { PageQueryDto } from '../../../kit/http/pagination.js';
import type { WebhookAttemptEntity } from '../delivery/webhook-attempt.entity.js';
import type { WebhookDeliveryEntity } from '../delivery/webhook-delivery.entity.js';
import type { WebhookEndpointEntity } from '../delivery/webhook-endpoint.entity.js';
import { ENDPOINT_STATES, type EndpointState } from '../delivery/webhook-endpoints.service.js';
import { toDeliveryDto, WebhookDeliveryDto } from './webhook-delivery.dto.js';
import { toWebhookDto, WebhookDto } from './webhook.dto.js';

const OWNER_LENGTH_MAX = 200;

/** The query of `GET /admin/webhooks`. */
export class ListAllWebhooksQueryDto extends PageQueryDto {
  @ApiPropertyOptional({
    enum: ENDPOINT_STATES,
    description: 'Only webhooks in this state: `failing` ones are still tried.',
  })
  @IsOptional()
  @IsIn(ENDPOINT_STATES)
  state?: EndpointState;

  /**
   * Only webhooks of this owner, as approvals and the audit log name them.
   * @example "user:7"
   */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(OWNER_LENGTH_MAX)
  owner?: string;
}

/** A webhook as operators see it. */
export class OperatorWebhookDto extends WebhookDto {
  /**
   * Whose it is.
   * @example "user:7"
   */
  owner: string;
}

/** A delivery as operators see it: how it went, and not what it says. */
export class OperatorWebhookDeliveryDto extends WebhookDeliveryDto {
  /**
   * What the receiver answered to the last attempt; null where no answer came, or before the first one.
   * @example 500
   */
  @ApiProperty({ type: 'integer', nullable: true })
  last_response_status: number | null;

  /** Why no answer came to the last attempt, or what of it was not understood; null where neither is so, or before the first one. */
  @ApiProperty({ type: String, nullable: true })
  last_error: string | null;
}

export function toOperatorWebhookDto(endpoint: WebhookEndpointEntity): OperatorWebhookDto {
  return { ...toWebhookDto(endpoint), owner: endpoint.accountOwner };
}

export function toOperatorDeliveryDto(
  delivery: WebhookDeliveryEntity,
  last: WebhookAttemptEntity | undefined,
): OperatorWebhookDeliveryDto {
  return {
    ...toDeliveryDto(delivery),
    last_response_status: last?.responseStatus ?? null,
    last_error: last?.error ?? null,
  };
}
