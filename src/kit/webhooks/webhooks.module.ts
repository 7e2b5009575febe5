import { Global } from '@nestjs/common';
import { AttemptRecorder } from './attempt-recorder.js';
import { EndpointCredentials } from './endpoint-credentials.js';
import { EndpointDisabling } from './endpoint-disabling.js';
import { FanOut } from './fan-out.js';
import { WebhookAttemptEntity } from './webhook-attempt.entity.js';
import { WebhookDeliveries } from './webhook-deliveries.service.js';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import { WebhookDispatcher } from './webhook-dispatcher.js';
import { WebhookEndpointEntity } from './webhook-endpoint.entity.js';
import { WebhookEndpoints } from './webhook-endpoints.service.js';
import { WebhookErasure } from './webhook-erasure.js';
import { WebhookEventEntity } from './webhook-event.entity.js';
import { WEBHOOK_DISABLED, WEBHOOK_TEST } from './webhook-own-events.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhookTiming } from './webhook-timing.js';
import { WebhookUpkeep } from './webhook-upkeep.js';
import { Webhooks } from './webhooks.js';
import { TradepostModule } from '../module/tradepost-module.js';
import { RETENTION_DELIVERIES_DAYS } from './webhook-retention.js';

/**
 * Webhooks for every module: publishes events, keeps endpoints, and delivers. The routes of endpoints belong to news.
 */
@Global()
@TradepostModule({
  name: 'webhook-delivery',
  settings: [RETENTION_DELIVERIES_DAYS],
  webhookEvents: [WEBHOOK_DISABLED, WEBHOOK_TEST],
  entities: [WebhookAttemptEntity, WebhookDeliveryEntity, WebhookEndpointEntity, WebhookEventEntity],
  providers: [
    AttemptRecorder,
    EndpointCredentials,
    EndpointDisabling,
    FanOut,
    WebhookDeliveries,
    WebhookDispatcher,
    WebhookEndpoints,
    WebhookErasure,
    Webhooks,
    WebhookSecrets,
    WebhookSender,
    WebhookTiming,
    WebhookUpkeep,
  ],
  exports: [WebhookDeliveries, WebhookEndpoints, WebhookErasure, Webhooks, WebhookTiming],
})
export class WebhooksModule {}
