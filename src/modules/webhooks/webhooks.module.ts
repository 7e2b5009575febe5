import { AttemptRecorder } from './delivery/attempt-recorder.js';
import { EndpointCredentials } from './delivery/endpoint-credentials.js';
import { EndpointDisabling } from './delivery/endpoint-disabling.js';
import { FanOut } from './delivery/fan-out.js';
import { WebhookAttemptEntity } from './delivery/webhook-attempt.entity.js';
import { WebhookDeliveries } from './delivery/webhook-deliveries.service.js';
import { WebhookDeliveryEntity } from './delivery/webhook-delivery.entity.js';
import { WebhookDispatcher } from './delivery/webhook-dispatcher.js';
import { WebhookEndpointEntity } from './delivery/webhook-endpoint.entity.js';
import { WebhookEndpoints } from './delivery/webhook-endpoints.service.js';
import { WebhookErasure } from './delivery/webhook-erasure.js';
import { WebhookEventEntity } from './delivery/webhook-event.entity.js';
import { WEBHOOK_DISABLED, WEBHOOK_TEST } from './delivery/webhook-own-events.js';
import { WebhookSecrets } from './delivery/webhook-secrets.js';
import { WebhookSender } from './delivery/webhook-sender.js';
import { RETENTION_DELIVERIES_DAYS } from './delivery/webhook-retention.js';
import { WebhookTiming } from './delivery/webhook-timing.js';
import { WebhookUpkeep } from './delivery/webhook-upkeep.js';
import { WebhookPublisher } from './delivery/webhook-publisher.js';
import { OperatorWebhooksController } from './endpoints/operator-webhooks.controller.js';
import { WebhooksController } from './endpoints/webhooks.controller.js';
import { WebhooksPersonalData } from './endpoints/webhooks-personal-data.js';
import { WebhooksService } from './endpoints/webhooks.service.js';
import { DELIVERY_IDS, EVENT_IDS, WEBHOOK_IDS } from './ids.js';
import { TradepostModule } from '../../kit/module/tradepost-module.js';
import { NEWS_WEBHOOKS } from './scopes.js';

/** Webhooks: endpoints, and the events of all groups that are delivered to them. */
@TradepostModule({
  name: 'webhooks',
  settings: [RETENTION_DELIVERIES_DAYS],
  scopes: [NEWS_WEBHOOKS],
  idPrefixes: [WEBHOOK_IDS, DELIVERY_IDS, EVENT_IDS],
  implementations: [WebhookPublisher],
  webhookEvents: [WEBHOOK_DISABLED, WEBHOOK_TEST],
  entities: [WebhookAttemptEntity, WebhookDeliveryEntity, WebhookEndpointEntity, WebhookEventEntity],
  controllers: [OperatorWebhooksController, WebhooksController],
  providers: [
    AttemptRecorder,
    EndpointCredentials,
    EndpointDisabling,
    FanOut,
    WebhookDeliveries,
    WebhookDispatcher,
    WebhookEndpoints,
    WebhookErasure,
    WebhookSecrets,
    WebhookSender,
    WebhookTiming,
    WebhookUpkeep,
    WebhooksService,
    WebhooksPersonalData,
  ],
  exports: [WebhookEndpoints, WebhookErasure],
})
export class WebhooksModule {}
