import { port } from '../module/extension-point.js';
import { TradepostModule } from '../module/tradepost-module.js';
import { Webhooks } from './webhooks.js';

/** What all who publish events need of those who deliver them. */
@TradepostModule({ name: 'webhook-port', extensionPoints: [port(Webhooks)] })
export class WebhookPortModule {}
