import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { after, usePaged } from '../../live.js';
import { Choice } from '../../parts/field.jsx';
import { Form, TextField, useAction } from '../../parts/form.jsx';
import { Badge } from '../../parts/notice.jsx';
import { type Column, PagedTable } from '../../parts/table.jsx';
import { Moment } from '../../parts/time.jsx';
import { Link, navigate } from '../../router.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';

export type Account = components['schemas']['OperatorAccountDto'];
type State = Account['status'];

const W = words.deskPeople;

export function AccountState({ of: state }: { readonly of: State }): JSX.Element {
  return <Badge tone={state === 'active' ? 'good' : 'bad'} text={W.accountStates[state]} />;
}

const COLUMNS: readonly Column<Account>[] = [
  {
    title: W.accountId,
    cell: ({ account_id: id }) => <Link to={`desk/people/accounts/${id}`}>{id}</Link>,
  },
  { title: W.name, cell: ({ name }) => name },
  { title: W.owner, isWide: true, cell: ({ owner }) => owner },
  { title: W.kind, isWide: true, cell: ({ kind }) => W.kinds[kind] },
  { title: W.state, cell: ({ status }) => <AccountState of={status} /> },
  { title: W.created, isWide: true, cell: ({ created_at: at }) => <Moment at={at} /> },
];

interface AccountListProps {
  readonly label: string;
  readonly query: { readonly q?: string; readonly owner?: string; readonly status?: State };
}

export function AccountList({ label, query }: AccountListProps): JSX.Element {
  const pages = usePaged(JSON.stringify(query), (cursor, signal) =>
    session.value.client.get('/admin/accounts', {
      params: { query: { ...query, ...after(cursor) } },
      signal,
    }),
  );
  return (
    <PagedTable
      label={label}
      columns={COLUMNS}
      pages={pages}
      none={W.noAccounts}
      keyOf={({ account_id: id }) => id}
    />
  );
}

export function Accounts(): JSX.Element {
  const [q, setQ] = useState('');
  const [status, setStatus] = useState<State | 'any'>('any');
  return (
    <>
      <section class="panel">
        <div class="filters">
          <TextField label={W.search} type="search" value={q} onChange={setQ} hint={W.searchAccounts} />
          <Choice
            label={W.state}
            value={status}
            options={{ any: words.desk.all, ...W.accountStates }}
            onChange={setStatus}
          />
        </div>
        <AccountList
          label={W.parts.accounts}
          query={{ ...(q !== '' && { q }), ...(status !== 'any' && { status }) }}
        />
      </section>
      <NewAccount />
    </>
  );
}

function NewAccount(): JSX.Element {
  const [name, setName] = useState('');
  const [owner, setOwner] = useState('');
  const action = useAction(['name', 'owner']);
  const open = async (): Promise<undefined> => {
    const body = { name, owner };
    const { account_id: id } = await session.value.client.post('/admin/accounts', { body });
    navigate(`desk/people/accounts/${id}`);
  };
  return (
    <section class="panel">
      <h2>{W.open}</h2>
      <Form label={W.open} submit={W.open} action={action} onSubmit={() => void action.run(open)}>
        <TextField label={W.name} value={name} onChange={setName} error={action.errors['name']} />
        <TextField label={W.owner} value={owner} onChange={setOwner} error={action.errors['owner']} />
      </Form>
    </section>
  );
}
