import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { Badge, type Tone } from '../parts/notice.jsx';
import { words } from '../words/index.js';

type Status = components['schemas']['OrderStatus'];

const TONES: Readonly<Record<Status, Tone>> = {
  open: 'waits',
  partially_filled: 'waits',
  untriggered: 'waits',
  filled: 'good',
  cancelled: 'plain',
  expired: 'plain',
  rejected: 'bad',
};

/** Whether its state may change by itself. */
export const isLive = (status: Status): boolean => TONES[status] === 'waits';

export function OrderBadge({ status }: { readonly status: Status }): JSX.Element {
  return <Badge tone={TONES[status]} text={words.portfolio.statuses[status]} />;
}
