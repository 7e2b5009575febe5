import { WebhookEventType } from './webhook-event-type.js';

/** What `webhook.test` tells. */
export class WebhookTestDto {
  /**
   * The webhook that was tested.
   * @example 'whk_00000000001'
   */
  readonly webhook_id: string;
}

/** What `webhook.disabled` tells. */
export class WebhookDisabledDto {
  /**
   * The webhook to which nothing is sent any more.
   * @example 'whk_00000000001'
   */
  readonly webhook_id: string;

  /** @example 'https://example.com/hooks' */
  readonly url: string;

  /**
   * It answered 410, or nothing succeeded there for days.
   * @example 'failing'
   */
  readonly reason: 'gone' | 'failing';
}

export const WEBHOOK_TEST = new WebhookEventType({
  name: 'webhook.test',
  description: 'Sent when its owner tests a webhook, whatever it is registered for.',
  data: WebhookTestDto,
});

export const WEBHOOK_DISABLED = new WebhookEventType({
  name: 'webhook.disabled',
  description: 'Another webhook of the same owner was disabled, because it answered 410 or failed for days.',
  data: WebhookDisabledDto,
});
