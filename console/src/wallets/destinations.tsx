import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { after, usePaged } from '../live.js';
import { Confirm } from '../parts/confirm.jsx';
import { Choice } from '../parts/field.jsx';
import { Form, TextField, useAction, useOwnKey } from '../parts/form.jsx';
import { type Column, PagedTable } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';

type Destination = components['schemas']['WalletDestinationDto'];
type Draft = components['schemas']['ListDestinationDto'];

const W = words.wallets;

function columnsOf(walletId: string, reload: () => void): readonly Column<Destination>[] {
  return [
    { title: W.label, cell: ({ label }) => label },
    { title: W.chain, isWide: true, cell: ({ chain }) => chain },
    { title: W.address, cell: ({ address }) => <code>{address}</code> },
    {
      title: W.destinations.effective,
      isWide: true,
      cell: ({ effective_at: at }) => <Moment at={at} />,
    },
    {
      title: W.actions,
      cell: ({ destination_id: id, label }) => (
        <Confirm
          label={W.destinations.delete}
          of={label}
          what={W.destinations.deleteWhat}
          work={() =>
            session.value.client.delete('/wallets/{wallet_id}/destinations/{destination_id}', {
              params: { path: { wallet_id: walletId, destination_id: id } },
            })
          }
          onDone={reload}
        />
      ),
    },
  ];
}

export function Destinations({ walletId }: { readonly walletId: string }): JSX.Element {
  const pages = usePaged(walletId, (cursor, signal) =>
    session.value.client.get('/wallets/{wallet_id}/destinations', {
      params: { path: { wallet_id: walletId }, query: after(cursor) },
      signal,
    }),
  );
  return (
    <>
      <section class="panel">
        <h2>{W.walletParts.destinations}</h2>
        <PagedTable
          label={W.walletParts.destinations}
          columns={columnsOf(walletId, pages.reload)}
          pages={pages}
          none={W.destinations.none}
          keyOf={({ destination_id: id }) => id}
        />
      </section>
      <NewDestination walletId={walletId} onMade={pages.reload} />
    </>
  );
}

const NOWHERE: Draft = { chain: 'ethereum', address: '', label: '' };

interface NewDestinationProps {
  readonly walletId: string;
  readonly onMade: () => void;
}

function NewDestination({ walletId, onMade }: NewDestinationProps): JSX.Element {
  const [draft, setDraft] = useState(NOWHERE);
  const action = useAction(['chain', 'address', 'label']);
  const key = useOwnKey(draft);
  const list = async (): Promise<undefined> => {
    await session.value.client.post('/wallets/{wallet_id}/destinations', {
      params: { path: { wallet_id: walletId } },
      body: draft,
      headers: { 'Idempotency-Key': key.current },
    });
    key.renew();
    setDraft(NOWHERE);
    onMade();
  };
  return (
    <section class="panel">
      <h2>{W.destinations.make}</h2>
      <p class="hint">{W.destinations.hint}</p>
      <Form
        label={W.destinations.make}
        submit={W.destinations.make}
        action={action}
        onSubmit={() => void action.run(list)}
      >
        <Choice
          label={W.chain}
          value={draft.chain}
          options={W.chains}
          onChange={(chain) => setDraft({ ...draft, chain })}
          error={action.errors['chain']}
        />
        <TextField
          label={W.address}
          value={draft.address}
          onChange={(address) => setDraft({ ...draft, address: address.trim() })}
          error={action.errors['address']}
        />
        <TextField
          label={W.label}
          value={draft.label}
          onChange={(label) => setDraft({ ...draft, label })}
          error={action.errors['label']}
        />
      </Form>
    </section>
  );
}
