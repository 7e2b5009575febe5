import { AttemptRecorder } from './delivery/attempt-recorder.js';
import { EndpointCredentials } from './delivery/endpoint-credentials.js';
import { EndpointDisabling } from './delivery/endpoint-disabling.js';
import { FAN_OUT } from './delivery/fan-out-task.js';
import { FanOut } from './delivery/fan-out.js';
import { MeasuredAttempts } from './delivery/measured-attempts.js';
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
import { DELIVERY_IDS, EVENT_IDS, WEBHOOK_IDS } from './ids.js';
import type { PurgedRows } from '../../kit/jobs/purges.js';
import { TradepostModule } from '../../kit/module/tradepost-module.js';
import { NEWS_WEBHOOKS } from './scopes.js';
import { WebhooksBaseline1780000000200 } from './migrations/1780000000200-baseline.js';
import { OrderAndPull1780000060100 } from './migrations/1780000060100-order-and-pull.js';

/** Delivers the events of all groups. Apart from the routes, since groups below these need it. */
@TradepostModule({
  name: 'webhooks',
  settings: [RETENTION_DELIVERIES_DAYS],
  scopes: [NEWS_WEBHOOKS],
  idPrefixes: [WEBHOOK_IDS, DELIVERY_IDS, EVENT_IDS],
  implementations: [WebhookPublisher],
  webhookEvents: [WEBHOOK_DISABLED, WEBHOOK_TEST],
  jobs: [FAN_OUT.handledBy(FanOut, (fanOut, { event_ids }) => fanOut.deliver(event_ids))],
  purges: [(_config, settings) => [consumersAway(settings.get(RETENTION_DELIVERIES_DAYS))]],
  duties: [WebhookUpkeep, WebhookDispatcher],
  entities: [WebhookAttemptEntity, WebhookDeliveryEntity, WebhookEndpointEntity, WebhookEventEntity],
  migrations: [WebhooksBaseline1780000000200, OrderAndPull1780000060100],
  providers: [
    AttemptRecorder,
    EndpointCredentials,
    EndpointDisabling,
    FanOut,
    MeasuredAttempts,
    WebhookDeliveries,
    WebhookEndpoints,
    WebhookErasure,
    WebhookSecrets,
    WebhookSender,
    WebhookTiming,
  ],
  exports: [WebhookDeliveries, WebhookEndpoints, WebhookErasure],
})
export class WebhooksModule {}

/** What listeners of plugins are to hear of is kept for them as long as deliveries are. */
function consumersAway(days: number): PurgedRows {
  return {
    table: 'plugin_consumers',
    key: ['name'],
    over: `seen_at < now() - interval '${days} days'`,
    orderBy: 'seen_at',
  };
}
