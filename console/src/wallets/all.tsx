import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { after, usePaged } from '../live.js';
import { Form, TextField, useAction, useOwnKey } from '../parts/form.jsx';
import { type Column, PagedTable } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { Link, navigate } from '../router.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';

type Wallet = components['schemas']['WalletDto'];

const W = words.wallets;

const COLUMNS: readonly Column<Wallet>[] = [
  { title: W.name, cell: ({ wallet_id: id, name }) => <Link to={`wallets/${id}`}>{name}</Link> },
  { title: W.id, isWide: true, cell: ({ wallet_id: id }) => <code>{id}</code> },
  { title: W.created, cell: ({ created_at: at }) => <Moment at={at} /> },
];

export function AllWallets(): JSX.Element {
  const pages = usePaged('wallets', (cursor, signal) =>
    session.value.client.get('/wallets', { params: { query: after(cursor) }, signal }),
  );
  return (
    <>
      <section class="panel">
        <h2>{W.parts.all}</h2>
        <PagedTable
          label={W.parts.all}
          columns={COLUMNS}
          pages={pages}
          none={W.none}
          keyOf={({ wallet_id: id }) => id}
        />
      </section>
      <NewWallet />
    </>
  );
}

function NewWallet(): JSX.Element {
  const [name, setName] = useState('');
  const action = useAction(['name']);
  const key = useOwnKey(name);
  const make = async (): Promise<undefined> => {
    const headers = { 'Idempotency-Key': key.current };
    const { wallet_id: id } = await session.value.client.post('/wallets', { body: { name }, headers });
    key.renew();
    navigate(`wallets/${id}`);
  };
  return (
    <section class="panel">
      <h2>{W.make}</h2>
      <Form label={W.make} submit={W.make} action={action} onSubmit={() => void action.run(make)}>
        <TextField label={W.name} value={name} onChange={setName} error={action.errors['name']} />
      </Form>
    </section>
  );
}
