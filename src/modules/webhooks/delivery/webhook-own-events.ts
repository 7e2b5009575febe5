import { WebhookEventType } from '../../../kit/webhooks/webhook-event-type.js';
import { WebhookDisabledDto, WebhookTestDto } from './webhook-own-events.dto.js';

export const WEBHOOK_TEST = new WebhookEventType({
  name: 'webhook.test',
  description: 'Sent when its owner tests a webhook, whatever it is registered for.',
  data: WebhookTestDto,
});

export const WEBHOOK_DISABLED = new WebhookEventType({
  name: 'webhook.disabled',
  description:
    'Another webhook of the same owner was disabled, because it answered 410, failed for days, or lost its credential.',
  data: WebhookDisabledDto,
});
