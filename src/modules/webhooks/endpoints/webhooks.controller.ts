import { Body, Controller, Delete, Get, Header, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import {
  VALIDATION_FAILED,
  DESTINATION_NOT_ALLOWED,
  LIMIT_EXCEEDED,
  CONFLICT,
  INVALID_CURSOR,
  NOT_FOUND,
  INSUFFICIENT_SCOPE,
} from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { ApiPageResponse, type Page, PageQueryDto } from '../../../kit/http/pagination.js';
import { BOUND_KEY, RefusesBoundKeys } from '../../../kit/security/bound-keys.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import {
  ListDeliveriesQueryDto,
  RecoverDeliveriesDto,
  RecoveredDeliveriesDto,
  WebhookDeliveryDto,
  WebhookDeliveryWithAttemptsDto,
  WebhookEventsDto,
} from './webhook-delivery.dto.js';
import { RegisterWebhookDto, UpdateWebhookDto, WebhookDto, WebhookWithSecretDto } from './webhook.dto.js';
import { WebhooksService } from './webhooks.service.js';
import { NEWS_WEBHOOKS } from '../scopes.js';

const NOT_ALLOWED = INSUFFICIENT_SCOPE.means(
  'a type of event needs a scope that the credential does not have.',
);
const DISABLED = CONFLICT.means('the webhook is disabled');
const SENDS_NOTHING = CONFLICT.means('the webhook is disabled, or has no address');

/** Webhooks of one's own: they tell of news, and of what happens in every other group. */
@ApiTags('News')
@RequireScopes({ anyOf: [NEWS_WEBHOOKS] })
@Controller('news/webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  /**
   * Register a webhook
   * @remarks Events are sent as [Standard Webhooks](https://www.standardwebhooks.com) has it, signed with
   * the secret that is shown this once. What is not answered with 2xx within 15 seconds is sent again, up to
   * ten times in three days and some hours, under the same `webhook-id`. Events may arrive more than once, and
   * unless the webhook is `ordered` in another order than they happened in. 410 disables the webhook.
   */
  @Post()
  @Header('Cache-Control', 'no-store')
  @ApiErrors(
    VALIDATION_FAILED.means('no https URL, or no such type of event'),
    NOT_ALLOWED,
    BOUND_KEY,
    DESTINATION_NOT_ALLOWED.means('the address is not on the public Internet'),
    LIMIT_EXCEEDED.means('there are 100 already'),
  )
  @RefusesBoundKeys()
  register(
    @CurrentPrincipal() principal: Principal,
    @Body() body: RegisterWebhookDto,
  ): Promise<WebhookWithSecretDto> {
    return this.webhooks.register(principal, body);
  }

  /**
   * List one’s own webhooks
   * @remarks Newest first. A logged-in user has those of all credentials that act for them; a client, an API
   * key, or a client that a user lets act has those that it registered.
   */
  @Get()
  @ApiPageResponse(WebhookDto)
  list(@CurrentPrincipal() principal: Principal, @Query() query: PageQueryDto): Promise<Page<WebhookDto>> {
    return this.webhooks.list(principal, query);
  }

  /** Get a webhook */
  @Get(':webhook_id')
  @ApiErrors(NOT_FOUND)
  get(@CurrentPrincipal() principal: Principal, @Param('webhook_id') webhookId: string): Promise<WebhookDto> {
    return this.webhooks.get(principal, webhookId);
  }

  /**
   * Change what a webhook hears of, disable it or enable it
   * @remarks One whose credential is gone cannot be enabled: `conflict`.
   */
  @Patch(':webhook_id')
  @ApiErrors(
    VALIDATION_FAILED,
    NOT_ALLOWED,
    NOT_FOUND,
    CONFLICT.means('the credential that made the webhook is gone'),
  )
  update(
    @CurrentPrincipal() principal: Principal,
    @Param('webhook_id') webhookId: string,
    @Body() body: UpdateWebhookDto,
  ): Promise<WebhookDto> {
    return this.webhooks.update(principal, webhookId, body);
  }

  /**
   * Delete a webhook
   * @remarks Nothing more is sent to it.
   */
  @Delete(':webhook_id')
  @HttpCode(204)
  @ApiNoContentResponse({ description: 'The webhook is deleted.' })
  @ApiErrors(NOT_FOUND)
  remove(@CurrentPrincipal() principal: Principal, @Param('webhook_id') webhookId: string): Promise<void> {
    return this.webhooks.remove(principal, webhookId);
  }

  /**
   * Send a test event to a webhook
   * @remarks An event of the type `webhook.test`, once. See the delivery for what came of it.
   */
  @Post(':webhook_id/test')
  @Idempotent()
  @ApiErrors(NOT_FOUND, DISABLED)
  test(
    @CurrentPrincipal() principal: Principal,
    @Param('webhook_id') webhookId: string,
  ): Promise<WebhookDeliveryDto> {
    return this.webhooks.test(principal, webhookId);
  }

  /**
   * Make a new secret for a webhook
   * @remarks It is shown this once. For a day deliveries carry two signatures, by the new and by the old
   * secret, so that the receiver can change over.
   */
  @Post(':webhook_id/secret')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiErrors(NOT_FOUND)
  rotateSecret(
    @CurrentPrincipal() principal: Principal,
    @Param('webhook_id') webhookId: string,
  ): Promise<WebhookWithSecretDto> {
    return this.webhooks.rotateSecret(principal, webhookId);
  }

  /**
   * List deliveries to a webhook
   * @remarks Newest first, of the last 30 days.
   */
  @Get(':webhook_id/deliveries')
  @ApiPageResponse(WebhookDeliveryDto)
  @ApiErrors(NOT_FOUND)
  listDeliveries(
    @CurrentPrincipal() principal: Principal,
    @Param('webhook_id') webhookId: string,
    @Query() query: ListDeliveriesQueryDto,
  ): Promise<Page<WebhookDeliveryDto>> {
    return this.webhooks.listDeliveries(principal, webhookId, query);
  }

  /** Get a delivery, with what was sent and every attempt */
  @Get(':webhook_id/deliveries/:delivery_id')
  @ApiErrors(NOT_FOUND)
  getDelivery(
    @CurrentPrincipal() principal: Principal,
    @Param('webhook_id') webhookId: string,
    @Param('delivery_id') deliveryId: string,
  ): Promise<WebhookDeliveryWithAttemptsDto> {
    return this.webhooks.getDelivery(principal, webhookId, deliveryId);
  }

  /**
   * Send a delivery again
   * @remarks Under the same `webhook-id`: at once, and then by the schedule from its beginning.
   */
  @Post(':webhook_id/deliveries/:delivery_id/resend')
  @HttpCode(200)
  @Idempotent()
  @ApiErrors(
    NOT_FOUND,
    CONFLICT.means('the webhook is disabled or has no address, or the delivery is still on its way'),
  )
  resend(
    @CurrentPrincipal() principal: Principal,
    @Param('webhook_id') webhookId: string,
    @Param('delivery_id') deliveryId: string,
  ): Promise<WebhookDeliveryDto> {
    return this.webhooks.resend(principal, webhookId, deliveryId);
  }

  /**
   * Send all failed deliveries again
   * @remarks Those made since a time, the oldest 1,000 at once: each under its `webhook-id`, at once, and then by the
   * schedule from its beginning.
   */
  @Post(':webhook_id/recover')
  @HttpCode(200)
  @Idempotent()
  @ApiErrors(VALIDATION_FAILED, NOT_FOUND, SENDS_NOTHING)
  recover(
    @CurrentPrincipal() principal: Principal,
    @Param('webhook_id') webhookId: string,
    @Body() body: RecoverDeliveriesDto,
  ): Promise<RecoveredDeliveriesDto> {
    return this.webhooks.recover(principal, webhookId, body);
  }

  /**
   * Pull the events of a webhook
   * @remarks Of the last 30 days, in the order in which they were made, delivered or not. Keep `next_cursor` and ask again
   * with it: no event is left out, and none comes twice. A new event is there within a second in the usual case.
   */
  @Get(':webhook_id/events')
  @ApiErrors(NOT_FOUND, INVALID_CURSOR)
  listEvents(
    @CurrentPrincipal() principal: Principal,
    @Param('webhook_id') webhookId: string,
    @Query() query: PageQueryDto,
  ): Promise<WebhookEventsDto> {
    return this.webhooks.listEvents(principal, webhookId, query);
  }
}
