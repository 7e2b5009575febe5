import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { Badge, type Tone } from '../../parts/notice.jsx';
import { words } from '../../words/index.js';

type State = components['schemas']['ApprovalDto']['status'];

const TONES: Readonly<Record<State, Tone>> = {
  pending: 'waits',
  approved: 'good',
  rejected: 'bad',
  expired: 'plain',
  failed: 'bad',
};

export function StateBadge({ of: state }: { readonly of: State }): JSX.Element {
  return <Badge tone={TONES[state]} text={words.desk.inbox.states[state]} />;
}
