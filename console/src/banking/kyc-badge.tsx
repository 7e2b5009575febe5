import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { Badge, type Tone } from '../parts/notice.jsx';
import { words } from '../words/index.js';

type Status = components['schemas']['KycStatus'];

const TONES: Readonly<Record<Status, Tone>> = {
  pending: 'waits',
  in_review: 'waits',
  approved: 'good',
  rejected: 'bad',
  expired: 'bad',
};

/** Not decided yet: such a case takes photos. */
export const isOpenCase = (status: Status): boolean => TONES[status] === 'waits';

export function KycBadge({ status }: { readonly status: Status }): JSX.Element {
  return <Badge tone={TONES[status]} text={words.banking.identity.statuses[status]} />;
}
