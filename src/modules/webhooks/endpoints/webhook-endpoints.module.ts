import { TradepostModule } from '../../../kit/module/tradepost-module.js';
import { WebhooksModule } from '../webhooks.module.js';
import { AdminWebhooksController } from './admin-webhooks.controller.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksPersonalData } from './webhooks-personal-data.js';
import { WebhooksService } from './webhooks.service.js';

/** The routes of webhooks. */
@TradepostModule({
  name: 'webhook-endpoints',
  imports: [WebhooksModule],
  controllers: [AdminWebhooksController, WebhooksController],
  providers: [WebhooksService],
  personalData: [WebhooksPersonalData],
})
export class WebhookEndpointsModule {}
