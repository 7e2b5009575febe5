import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { after, useLooks, usePaged } from '../../live.js';
import { Choice } from '../../parts/field.jsx';
import { type Column, PagedTable } from '../../parts/table.jsx';
import { Moment } from '../../parts/time.jsx';
import { Link } from '../../router.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';
import { kindWords } from './kind-words.js';
import { StateBadge } from './state-badge.jsx';

type Approval = components['schemas']['ApprovalDto'];
type Kind = Approval['kind'];
type State = Approval['status'];

const W = words.desk.inbox;

const COLUMNS: readonly Column<Approval>[] = [
  {
    title: W.what,
    cell: ({ approval_id: id, summary }) => <Link to={`desk/${id}`}>{summary}</Link>,
  },
  { title: W.kind, isWide: true, cell: ({ kind }) => kindWords(kind) },
  { title: W.proposedBy, isWide: true, cell: ({ proposed_by: by }) => by },
  { title: W.proposed, isWide: true, cell: ({ proposed_at: at }) => <Moment at={at} /> },
  { title: W.state, cell: ({ status }) => <StateBadge of={status} /> },
];

/** What waits for a second person, of all kinds, and what became of it. */
export function Approvals(): JSX.Element {
  const [kind, setKind] = useState<Kind | 'any'>('any');
  const [status, setStatus] = useState<State | 'any'>('pending');
  const pages = usePaged(`${kind} ${status}`, (cursor, signal) =>
    session.value.client.get('/admin/approvals', {
      params: {
        query: { ...(kind !== 'any' && { kind }), ...(status !== 'any' && { status }), ...after(cursor) },
      },
      signal,
    }),
  );
  // Whoever has read on would lose the place.
  useLooks(pages.more === undefined, pages);
  return (
    <section class="panel">
      <div class="filters">
        <h2>{status === 'pending' ? W.waiting : W.back}</h2>
        <Choice
          label={W.kind}
          value={kind}
          options={{ any: words.desk.all, ...W.kinds }}
          onChange={setKind}
        />
        <Choice
          label={W.state}
          value={status}
          options={{ any: words.desk.all, ...W.states }}
          onChange={setStatus}
        />
      </div>
      <PagedTable
        label={W.back}
        columns={COLUMNS}
        pages={pages}
        none={status === 'pending' && kind === 'any' ? W.none : W.noneLike}
        keyOf={({ approval_id: id }) => id}
      />
    </section>
  );
}
