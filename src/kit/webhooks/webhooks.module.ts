import { Global } from '@nestjs/common';
import { AttemptRecorder } from './attempt-recorder.js';
import { EndpointCredentials } from './endpoint-credentials.js';
import { EndpointDisabling } from './endpoint-disabling.js';
import { FAN_OUT } from './fan-out-task.js';
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
import { DELIVERY_IDS, EVENT_IDS, WEBHOOK_IDS } from './ids.js';
import { NEWS_WEBHOOKS } from './scopes.js';

/**
 * Webhooks for every module: publishes events, keeps endpoints, and delivers. The routes of endpoints belong to news.
 */
@Global()
@TradepostModule({
  name: 'webhook-delivery',
  scopes: [NEWS_WEBHOOKS],
  idPrefixes: [WEBHOOK_IDS, DELIVERY_IDS, EVENT_IDS],
  webhookEvents: [WEBHOOK_DISABLED, WEBHOOK_TEST],
  jobs: [FAN_OUT.handledBy(FanOut, (fanOut, { event_ids }) => fanOut.deliver(event_ids))],
  duties: [WebhookUpkeep, WebhookDispatcher],
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
