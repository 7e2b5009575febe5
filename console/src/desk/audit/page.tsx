import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { after, usePaged } from '../../live.js';
import { Dialog } from '../../parts/dialog.jsx';
import { Facts } from '../../parts/facts.jsx';
import { TextField } from '../../parts/form.jsx';
import { Badge, type Tone } from '../../parts/notice.jsx';
import { type Column, PagedTable } from '../../parts/table.jsx';
import { Moment } from '../../parts/time.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';

type Entry = components['schemas']['AuditEntryDto'];

const W = words.deskAudit;
const TONES: Readonly<Record<Entry['outcome'], Tone>> = {
  succeeded: 'good',
  proposed: 'waits',
  refused: 'bad',
  failed: 'bad',
};

const targetOf = ({ target: { type, id } }: Entry): string => `${type}:${id}`;

function columnsOf(onShow: (entry: Entry) => void): readonly Column<Entry>[] {
  return [
    { title: W.time, cell: ({ at }) => <Moment at={at} /> },
    { title: W.actor, cell: ({ actor }) => actor.person ?? actor.credential ?? '–' },
    { title: W.action, isWide: true, cell: ({ action }) => action },
    { title: W.target, isWide: true, cell: targetOf },
    {
      title: W.outcome,
      isWide: true,
      cell: ({ outcome }) => <Badge tone={TONES[outcome]} text={W.outcomes[outcome]} />,
    },
    {
      title: W.details,
      cell: (entry) => (
        <button type="button" aria-label={`${W.show}: ${entry.action}`} onClick={() => onShow(entry)}>
          {W.show}
        </button>
      ),
    },
  ];
}

interface Filters {
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  /** As the inputs have them, in the time of the place. */
  readonly from: string;
  readonly to: string;
}

const NO_FILTERS: Filters = { actor: '', action: '', target: '', from: '', to: '' };

function queryOf({ from, to, ...words }: Filters): Record<string, string> {
  const told = Object.entries(words).filter(([, value]) => value !== '');
  return {
    ...Object.fromEntries(told),
    ...(from !== '' && { from: new Date(from).toISOString() }),
    ...(to !== '' && { to: new Date(to).toISOString() }),
  };
}

/** What operators did, and who changed credentials. */
export function Audit(): JSX.Element {
  const [filters, setFilters] = useState(NO_FILTERS);
  const [shown, setShown] = useState<Entry | undefined>(undefined);
  const query = queryOf(filters);
  const pages = usePaged(JSON.stringify(query), (cursor, signal) =>
    session.value.client.get('/admin/audit', {
      params: { query: { ...query, ...after(cursor) } },
      signal,
    }),
  );
  const field = (name: keyof Filters, hint?: string): JSX.Element => (
    <TextField
      label={W[name]}
      type={name === 'from' || name === 'to' ? 'datetime-local' : 'search'}
      value={filters[name]}
      onChange={(value) => setFilters({ ...filters, [name]: value })}
      hint={hint}
    />
  );
  return (
    <section class="panel">
      <p class="hint">{W.hint}</p>
      <div class="filters">
        {field('actor', W.actorHint)}
        {field('action', W.actionHint)}
        {field('target', W.targetHint)}
        {field('from')}
        {field('to')}
      </div>
      <PagedTable
        label={W.title}
        columns={columnsOf(setShown)}
        pages={pages}
        none={W.none}
        keyOf={({ audit_id: id }) => id}
      />
      {shown !== undefined && <Details entry={shown} onClose={() => setShown(undefined)} />}
    </section>
  );
}

interface DetailsProps {
  readonly entry: Entry;
  readonly onClose: () => void;
}

function Details({ entry, onClose }: DetailsProps): JSX.Element {
  const { action, actor, at, request_id: request, hash, details } = entry;
  return (
    <Dialog title={action} onClose={onClose}>
      <Facts
        of={[
          [W.time, <Moment at={at} />],
          [W.actor, actor.person],
          [W.credential, actor.credential],
          [W.address, actor.address],
          [W.target, targetOf(entry)],
          [W.request, request && <code>{request}</code>],
          [W.hash, hash && <code>{hash}</code>],
        ]}
      />
      <pre tabIndex={0}>{JSON.stringify(details, null, 2)}</pre>
    </Dialog>
  );
}
