import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsObject,
  IsOptional,
  IsString,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import { IsLabel } from '../../../kit/http/validation/is-label.js';
import { partsOfCredentialKey } from '../../../kit/security/credential-standings.js';
import {
  DISABLED_REASONS,
  type DisabledReason,
  type WebhookEndpointEntity,
} from '../delivery/webhook-endpoint.entity.js';
import { webhookIdOf } from '../delivery/webhook-endpoints.service.js';
import type { WebhookFilter } from '../../../kit/webhooks/webhook-event-type.js';

const URL_LENGTH_MAX = 2_048;
const EVENT_TYPES_MAX = 100;
const EVENT_TYPE_LENGTH_MAX = 64;
const FILTER_VALUES_MAX = 100;
const FILTER_TEXT_LENGTH_MAX = 200;

/** What a webhook hears of that was registered without `event_types`. */
const NEWS_EVENT_TYPES: readonly string[] = ['news.published', 'news.updated', 'news.removed'];

/**
 * Which news a webhook wants to hear of: those that have one of the values of each list that is given, and all
 * words of `q`. Events of other groups are not filtered.
 */
export class WebhookFilterDto {
  /** @example ["markets"] */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(FILTER_VALUES_MAX)
  @ArrayUnique()
  @IsLabel(FILTER_TEXT_LENGTH_MAX, { each: true })
  categories?: string[];

  /**
   * Markets that the news are about.
   * @example ["BTC-USD"]
   */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(FILTER_VALUES_MAX)
  @ArrayUnique()
  @IsLabel(FILTER_TEXT_LENGTH_MAX, { each: true })
  symbols?: string[];

  /** @example ["Tradepost"] */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(FILTER_VALUES_MAX)
  @ArrayUnique()
  @IsLabel(FILTER_TEXT_LENGTH_MAX, { each: true })
  sources?: string[];

  /**
   * Words that the headline or the summary has, in any order.
   * @example "rate decision"
   */
  @IsOptional()
  @IsLabel(FILTER_TEXT_LENGTH_MAX)
  q?: string;
}

/** The body of `POST /news/webhooks`. */
export class RegisterWebhookDto {
  /**
   * Where events are sent by `POST`: https, and on the public Internet. Left out, nothing is sent: pull the events by
   * `GET /news/webhooks/{webhook_id}/events`.
   * @example "https://example.com/hooks/tradepost"
   */
  @IsOptional()
  @IsString()
  @MaxLength(URL_LENGTH_MAX)
  url?: string;

  /**
   * What to hear of, of all groups; this document lists the types under `webhooks`. Some need a scope of their
   * own. Left out, all that happens to news.
   * @example ["news.published", "news.updated"]
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(EVENT_TYPES_MAX)
  @ArrayUnique()
  @IsString({ each: true })
  @MaxLength(EVENT_TYPE_LENGTH_MAX, { each: true })
  event_types: string[] = [...NEWS_EVENT_TYPES];

  /** Which news to hear of; left out, all of them. */
  @ApiPropertyOptional({ type: WebhookFilterDto })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => WebhookFilterDto)
  filter?: WebhookFilterDto;

  /**
   * Whether to send one event at a time, in the order in which they were made: what comes after one that fails waits until
   * it is delivered or given up. Left out, false.
   * @example false
   */
  @IsOptional()
  @IsBoolean()
  ordered?: boolean;
}

/** The body of `PATCH /news/webhooks/{webhook_id}`; what is left out stays as it is. */
export class UpdateWebhookDto {
  /** @example ["news.published"] */
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(EVENT_TYPES_MAX)
  @ArrayUnique()
  @IsString({ each: true })
  @MaxLength(EVENT_TYPE_LENGTH_MAX, { each: true })
  event_types?: string[];

  /** Takes the place of the whole filter; `{}` lets everything through. */
  @ApiPropertyOptional({ type: WebhookFilterDto })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => WebhookFilterDto)
  filter?: WebhookFilterDto;

  /**
   * Whether to send one event at a time, in the order in which they were made.
   * @example true
   */
  @IsOptional()
  @IsBoolean()
  ordered?: boolean;

  /**
   * Whether to send nothing for now. What happens meanwhile is not sent later; a webhook that the service
   * disabled is enabled by `false` too.
   * @example false
   */
  @IsOptional()
  @IsBoolean()
  disabled?: boolean;
}

/** What a webhook was registered with, and ends with. */
export class WebhookCredentialDto {
  /** `user`: a session of the user. `grant`: a client that the user lets act. */
  @ApiProperty({ enum: ['user', 'client', 'api_key', 'grant'] })
  kind: 'user' | 'client' | 'api_key' | 'grant';
  /**
   * Of the client or the API key; null for the user.
   * @example "key_00000000001"
   */
  @ApiProperty({ type: String, nullable: true })
  id: string | null;
}

/** An address that is told of events. */
export class WebhookDto {
  /** @example "whk_00000000001" */
  webhook_id: string;
  /**
   * Null where nothing is sent, and events are pulled.
   * @example "https://example.com/hooks/tradepost"
   */
  @ApiProperty({ type: String, nullable: true })
  url: string | null;
  /** Whether one event is sent at a time, in the order in which they were made. */
  ordered: boolean;
  /** @example ["news.published", "news.updated"] */
  event_types: string[];
  /** Empty where nothing is filtered. */
  filter: WebhookFilterDto;
  /** Judged again at every event: whether it is good, and may read what the event tells. */
  credential: WebhookCredentialDto;
  /** Whether nothing is sent. */
  disabled: boolean;
  /**
   * `owner`: by its owner. `gone`: the receiver answered 410. `failing`: nothing was delivered for days.
   * `credential`: the credential that made it is deleted, expired or revoked, or its user is locked; it is removed
   * 30 days later. Null while it is enabled.
   */
  @ApiProperty({ type: String, enum: DISABLED_REASONS, nullable: true })
  disabled_reason: DisabledReason | null;
  /** RFC 3339, UTC; null while it is enabled. */
  @ApiProperty({ type: String, nullable: true })
  disabled_at: string | null;
  /** Since when no attempt has succeeded; null where the last one did. */
  @ApiProperty({ type: String, nullable: true })
  failing_since: string | null;
  /** Until when deliveries are signed with the secret before too; null where there is none. */
  @ApiProperty({ type: String, nullable: true })
  previous_secret_until: string | null;
  /** RFC 3339, UTC. */
  created_at: string;
  /** RFC 3339, UTC. */
  updated_at: string;
}

/** A webhook with its secret, which is not shown again. */
export class WebhookWithSecretDto extends WebhookDto {
  /**
   * What deliveries are signed with, as Standard Webhooks has it.
   * @example "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="
   */
  secret: string;
}

/** What was given of a filter, and nothing else. */
export function toFilter({ categories, symbols, sources, q }: WebhookFilterDto): WebhookFilter {
  return {
    ...(categories && { categories }),
    ...(symbols && { symbols }),
    ...(sources && { sources }),
    ...(q !== undefined && { q }),
  };
}

export function toWebhookDto(endpoint: WebhookEndpointEntity): WebhookDto {
  return {
    webhook_id: webhookIdOf(endpoint.endpointId),
    ...fieldsOf(endpoint, 'url', 'ordered', 'eventTypes', 'filter'),
    credential: partsOfCredentialKey(endpoint.credential),
    disabled: endpoint.disabledAt !== null,
    ...fieldsOf(endpoint, 'disabledReason', 'disabledAt', 'failingSince', 'previousSecretUntil'),
    ...fieldsOf(endpoint, 'createdAt', 'updatedAt'),
  };
}
