import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLoaded } from '../live.js';
import { chosenAccount } from '../parts/account-choice.jsx';
import { Confirm } from '../parts/confirm.jsx';
import { Form, TextField, useAction, useOwnKey } from '../parts/form.jsx';
import { Badge, WhenLoaded } from '../parts/notice.jsx';
import { type Column, Table } from '../parts/table.jsx';
import { Link } from '../router.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { Invitations } from './invitations.jsx';
import { Members } from './members.jsx';
import { MoveMoney } from './move-money.jsx';
import type { PartProps } from './part.js';

type Account = components['schemas']['ReachedAccountDto'];

const W = words.accounts;

const isOwn = ({ role, kind }: Account): boolean => role === 'owner' && kind === 'trading';

/** The accounts that the user reaches, or the members of one of them. */
export function Accounts({ only }: PartProps): JSX.Element {
  const accounts = useLoaded('accounts', async (signal) => {
    const query = { limit: 200 };
    return (await session.value.client.get('/accounts', { params: { query }, signal })).data;
  });
  if (only !== undefined) {
    const known = accounts.value?.find(({ account_id: id }) => id === only);
    return <Members accountId={only} name={known?.name ?? only} />;
  }
  return (
    <>
      <section class="panel">
        <h2>{W.title}</h2>
        <p>{W.why}</p>
        <WhenLoaded of={accounts}>
          {(rows) => (
            <Table
              label={W.title}
              columns={columnsOf(accounts.reload)}
              rows={rows}
              keyOf={({ account_id: id }) => id}
            />
          )}
        </WhenLoaded>
      </section>
      <Invitations onAccepted={accounts.reload} />
      <MoveMoney accounts={accounts.value?.filter(isOwn) ?? []} />
      <NewSubAccount onOpened={accounts.reload} />
    </>
  );
}

function columnsOf(reload: () => void): readonly Column<Account>[] {
  return [
    {
      title: W.name,
      cell: (account) => (
        <>
          {isOwn(account) ? (
            <Link to={`portfolio/accounts/${account.account_id}`}>{account.name}</Link>
          ) : (
            account.name
          )}{' '}
          {account.is_main && <Badge text={W.main} />}
          {account.frozen && <Badge tone="bad" text={W.frozen} />}
        </>
      ),
    },
    { title: W.id, isWide: true, cell: ({ account_id: id }) => <code>{id}</code> },
    { title: W.role, cell: ({ role }) => W.roles[role] },
    {
      title: W.actions,
      cell: (account) => account.role !== 'owner' && <Leave of={account} onDone={reload} />,
    },
  ];
}

interface LeaveProps {
  readonly of: Account;
  readonly onDone: () => void;
}

function Leave({ of: { account_id: accountId, name }, onDone }: LeaveProps): JSX.Element {
  return (
    <Confirm
      label={W.leave}
      of={name}
      what={W.leaveWhat}
      work={() =>
        session.value.client.delete('/accounts/{account_id}/membership', {
          params: { path: { account_id: accountId } },
        })
      }
      onDone={() => {
        if (chosenAccount.value === accountId) chosenAccount.set('me');
        onDone();
      }}
    />
  );
}

function NewSubAccount({ onOpened }: { readonly onOpened: () => void }): JSX.Element {
  const [name, setName] = useState('');
  const action = useAction(['name']);
  const key = useOwnKey(name);
  const open = async (): Promise<string> => {
    const headers = { 'Idempotency-Key': key.current };
    await session.value.client.post('/accounts', { body: { name }, headers });
    key.renew();
    setName('');
    onOpened();
    return W.opened;
  };
  return (
    <section class="panel">
      <h2>{W.open}</h2>
      <Form label={W.open} submit={W.open} action={action} onSubmit={() => void action.run(open)}>
        <TextField label={W.name} value={name} onChange={setName} error={action.errors['name']} />
      </Form>
    </section>
  );
}
