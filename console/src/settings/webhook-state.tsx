import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { Badge } from '../parts/notice.jsx';
import { words } from '../words/index.js';

const W = words.settings.webhooks;

interface WebhookStateProps {
  readonly of: components['schemas']['WebhookDto'];
}

export function WebhookState({ of: { disabled, failing_since: since } }: WebhookStateProps): JSX.Element {
  if (disabled) return <Badge tone="bad" text={W.disabled} />;
  return since === null ? <Badge tone="good" text={W.active} /> : <Badge tone="waits" text={W.failing} />;
}
