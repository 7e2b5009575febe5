import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { Badge, type Tone } from '../parts/notice.jsx';
import { words } from '../words/index.js';

type Status = components['schemas']['WebhookDeliveryDto']['status'];

const TONES: Readonly<Record<Status, Tone>> = {
  pending: 'waits',
  delivered: 'good',
  failed: 'bad',
  stored: 'good',
};

export function DeliveryBadge({ status }: { readonly status: Status }): JSX.Element {
  return <Badge tone={TONES[status]} text={words.settings.webhooks.statuses[status]} />;
}
