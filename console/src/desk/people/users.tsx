import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { after, usePaged } from '../../live.js';
import { Download } from '../../parts/download.jsx';
import { Choice } from '../../parts/field.jsx';
import { TextField } from '../../parts/form.jsx';
import { Badge, type Tone } from '../../parts/notice.jsx';
import { type Column, PagedTable } from '../../parts/table.jsx';
import { Moment } from '../../parts/time.jsx';
import { Link } from '../../router.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';

export type User = components['schemas']['OperatorUserDto'];
type State = User['status'];

const W = words.deskPeople;
const TONES: Readonly<Record<State, Tone>> = { active: 'good', locked: 'bad', closed: 'plain' };

export function UserState({ of: state }: { readonly of: State }): JSX.Element {
  return <Badge tone={TONES[state]} text={W.userStates[state]} />;
}

export function fullNameOf({ first_name: first, last_name: last }: User): string {
  return [first, last].filter(Boolean).join(' ') || '–';
}

const COLUMNS: readonly Column<User>[] = [
  {
    title: W.username,
    cell: ({ username }) => <Link to={`desk/people/users/${encodeURIComponent(username)}`}>{username}</Link>,
  },
  { title: W.fullName, isWide: true, cell: fullNameOf },
  { title: W.email, isWide: true, cell: ({ email }) => email ?? '–' },
  { title: W.operator, isWide: true, cell: ({ operator }) => (operator ? W.yes : W.no) },
  { title: W.state, cell: ({ status }) => <UserState of={status} /> },
  { title: W.created, isWide: true, cell: ({ created_at: at }) => <Moment at={at} /> },
];

export function Users(): JSX.Element {
  const [q, setQ] = useState('');
  const [status, setStatus] = useState<State | 'any'>('any');
  const { client } = session.value;
  const query = { ...(q !== '' && { q }), ...(status !== 'any' && { status }) };
  const pages = usePaged(`${status} ${q}`, (cursor, signal) =>
    client.get('/admin/users', { params: { query: { ...query, ...after(cursor) } }, signal }),
  );
  return (
    <section class="panel">
      <div class="filters">
        <TextField label={W.search} type="search" value={q} onChange={setQ} hint={W.searchUsers} />
        <Choice
          label={W.state}
          value={status}
          options={{ any: words.desk.all, ...W.userStates }}
          onChange={setStatus}
        />
        <Download
          label={W.csv}
          fileName="users.csv"
          open={() => client.response('/admin/users', { params: { query }, headers: { Accept: 'text/csv' } })}
        />
      </div>
      <PagedTable
        label={W.parts.users}
        columns={COLUMNS}
        pages={pages}
        none={W.none}
        keyOf={({ username }) => username}
      />
    </section>
  );
}
