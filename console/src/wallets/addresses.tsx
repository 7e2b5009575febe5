import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { after, usePaged } from '../live.js';
import { Copy } from '../parts/copy.jsx';
import { Dialog } from '../parts/dialog.jsx';
import { Choice } from '../parts/field.jsx';
import { Form, TextField, useAction, useOwnKey } from '../parts/form.jsx';
import { type Column, PagedTable } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { QrCode } from '../parts/qr-code.jsx';

type Address = components['schemas']['AddressDto'];
type Chain = Address['chain'];

const W = words.wallets;

function columnsOf(onReceive: (address: Address) => void): readonly Column<Address>[] {
  return [
    { title: W.address, cell: ({ address }) => <code>{address}</code> },
    { title: W.chain, isWide: true, cell: ({ chain }) => W.chains[chain] },
    { title: W.label, isWide: true, cell: ({ label }) => label ?? '–' },
    { title: W.created, isWide: true, cell: ({ created_at: at }) => <Moment at={at} /> },
    {
      title: W.actions,
      cell: (address) =>
        address.purpose === 'deposit' ? (
          <button
            type="button"
            aria-label={`${W.addresses.receive}: ${address.address}`}
            onClick={() => onReceive(address)}
          >
            {W.addresses.receive}
          </button>
        ) : (
          W.addresses.signs
        ),
    },
  ];
}

export function Addresses({ walletId }: { readonly walletId: string }): JSX.Element {
  const [shown, setShown] = useState<Address | undefined>(undefined);
  const path = { wallet_id: walletId };
  const pages = usePaged(walletId, (cursor, signal) =>
    session.value.client.get('/wallets/{wallet_id}/addresses', {
      params: { path, query: after(cursor) },
      signal,
    }),
  );
  const show = (address: Address): void => {
    if (address.purpose === 'deposit') setShown(address);
    pages.reload();
  };
  return (
    <>
      <section class="panel">
        <h2>{W.walletParts.addresses}</h2>
        <PagedTable
          label={W.walletParts.addresses}
          columns={columnsOf(setShown)}
          pages={pages}
          none={W.addresses.none}
          keyOf={({ address_id: id }) => id}
        />
      </section>
      <NewAddress walletId={walletId} onMade={show} />
      {shown !== undefined && <Receive address={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

interface NewAddressProps {
  readonly walletId: string;
  readonly onMade: (address: Address) => void;
}

function NewAddress({ walletId, onMade }: NewAddressProps): JSX.Element {
  const [chain, setChain] = useState<Chain>('ethereum');
  const [purpose, setPurpose] = useState<Address['purpose']>('deposit');
  const [label, setLabel] = useState('');
  const action = useAction(['chain', 'purpose', 'label']);
  const key = useOwnKey({ chain, purpose, label });
  const make = async (): Promise<undefined> => {
    const address = await session.value.client.post('/wallets/{wallet_id}/addresses', {
      params: { path: { wallet_id: walletId } },
      body: { chain, purpose, ...(label !== '' && { label }) },
      headers: { 'Idempotency-Key': key.current },
    });
    key.renew();
    setLabel('');
    onMade(address);
  };
  return (
    <section class="panel">
      <h2>{W.addresses.make}</h2>
      <Form
        label={W.addresses.make}
        submit={W.addresses.make}
        action={action}
        onSubmit={() => void action.run(make)}
      >
        <Choice
          label={W.chain}
          value={chain}
          options={W.chains}
          onChange={setChain}
          error={action.errors['chain']}
        />
        <Choice
          label={W.addresses.purpose}
          value={purpose}
          options={W.addresses.purposes}
          onChange={setPurpose}
          error={action.errors['purpose']}
        />
        <TextField
          label={W.label}
          value={label}
          onChange={setLabel}
          hint={W.addresses.hint}
          error={action.errors['label']}
        />
      </Form>
    </section>
  );
}

interface ReceiveProps {
  readonly address: Address;
  readonly onClose: () => void;
}

function Receive({ address: shown, onClose }: ReceiveProps): JSX.Element {
  const { address, chain, label, derivation_path: path, deposit_minimums: minimums } = shown;
  const least = minimums.filter(({ minimum }) => minimum !== '0');
  return (
    <Dialog title={label ?? W.addresses.receive} onClose={onClose}>
      <QrCode label={W.addresses.code({ address })} text={address} />
      <p class="row">
        <code>{address}</code>
        <Copy label={words.copy} of={address} text={address} />
      </p>
      <p>
        {W.addresses.warning({
          chain: W.chains[chain],
          assets: minimums.map(({ asset }) => asset).join(', '),
        })}
      </p>
      {least.length > 0 && (
        <p>
          {W.addresses.minimum({
            least: least.map(({ asset, minimum }) => `${minimum} ${asset}`).join(', '),
          })}
        </p>
      )}
      <p class="hint">
        {W.addresses.path}: <code>{path}</code>
      </p>
    </Dialog>
  );
}
