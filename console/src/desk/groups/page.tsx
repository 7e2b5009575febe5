import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { after, usePaged } from '../../live.js';
import { Form, TextField, useAction, useOwnKey } from '../../parts/form.jsx';
import { SubNav } from '../../parts/sub-nav.jsx';
import { type Column, PagedTable } from '../../parts/table.jsx';
import { Moment } from '../../parts/time.jsx';
import { Link, navigate, type PageProps } from '../../router.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';
import { OneGroup } from './group.jsx';

type Group = components['schemas']['EventGroupDto'];

const W = words.eventGroups;

/** Markets whose outcomes exclude each other. */
export function GroupDesk({ rest: [part = 'all'] }: PageProps): JSX.Element {
  return (
    <>
      <SubNav label={W.title} base="desk/event-groups" parts={W.parts} current={part} />
      {part === 'all' && <AllGroups />}
      {part === 'create' && <NewGroup />}
      {!(part in W.parts) && <OneGroup key={part} groupId={part} />}
    </>
  );
}

const COLUMNS: readonly Column<Group>[] = [
  {
    title: W.id,
    cell: ({ event_group_id: id }) => <Link to={`desk/event-groups/${encodeURIComponent(id)}`}>{id}</Link>,
  },
  { title: W.name, isWide: true, cell: ({ title }) => title },
  { title: W.markets, isNumber: true, cell: ({ market_ids: ids }) => ids.length },
  { title: W.winner, cell: ({ winning_market_id: winner }) => winner ?? '–' },
  { title: W.created, isNumber: true, isWide: true, cell: ({ created_at: at }) => <Moment at={at} /> },
];

function AllGroups(): JSX.Element {
  const pages = usePaged('groups', (cursor, signal) =>
    session.value.client.get('/event-groups', { params: { query: after(cursor) }, signal }),
  );
  return (
    <section class="panel">
      <h2>{W.parts.all}</h2>
      <PagedTable
        label={W.parts.all}
        columns={COLUMNS}
        pages={pages}
        none={W.none}
        keyOf={({ event_group_id: id }) => id}
      />
    </section>
  );
}

const EMPTY = { id: '', title: '', markets: '' };

function NewGroup(): JSX.Element {
  const [draft, setDraft] = useState(EMPTY);
  const action = useAction(['event_group_id', 'title', 'market_ids']);
  const key = useOwnKey(draft);
  const create = async (): Promise<undefined> => {
    const { event_group_id: id } = await session.value.client.post('/admin/event-groups', {
      body: {
        event_group_id: draft.id,
        title: draft.title,
        market_ids: draft.markets.split(/[\s,]+/).filter((id) => id !== ''),
      },
      headers: { 'Idempotency-Key': key.current },
    });
    navigate(`desk/event-groups/${encodeURIComponent(id)}`);
  };
  const { errors } = action;
  return (
    <section class="panel">
      <h2>{W.parts.create}</h2>
      <Form
        label={W.parts.create}
        submit={W.parts.create}
        action={action}
        onSubmit={() => void action.run(create)}
      >
        <TextField
          label={W.id}
          value={draft.id}
          onChange={(id) => setDraft({ ...draft, id: id.trim() })}
          hint="CUP-WINNER"
          error={errors['event_group_id']}
        />
        <TextField
          label={W.name}
          value={draft.title}
          onChange={(title) => setDraft({ ...draft, title })}
          error={errors['title']}
        />
        <TextField
          label={W.markets}
          value={draft.markets}
          rows={3}
          onChange={(markets) => setDraft({ ...draft, markets })}
          hint={W.marketsHint}
          error={errors['market_ids']}
        />
      </Form>
    </section>
  );
}
