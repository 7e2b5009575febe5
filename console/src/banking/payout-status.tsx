import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { Badge, type Tone } from '../parts/notice.jsx';
import { words } from '../words/index.js';

type Status = components['schemas']['PayoutStatus'];

const TONES: Readonly<Record<Status, Tone>> = {
  pending_approval: 'waits',
  pending: 'waits',
  processing: 'waits',
  in_transit: 'waits',
  paid: 'good',
  failed: 'bad',
  returned: 'bad',
  cancelled: 'plain',
};

/** Whether its state goes on changing by itself. */
export const isUnderWay = (status: Status): boolean => TONES[status] === 'waits';

export function PayoutBadge({ status }: { readonly status: Status }): JSX.Element {
  return <Badge tone={TONES[status]} text={words.banking.payouts.statuses[status]} />;
}
