import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { after, useLoaded, usePaged } from '../live.js';
import { Copy } from '../parts/copy.jsx';
import { Facts } from '../parts/facts.jsx';
import { Choice } from '../parts/field.jsx';
import { Form, TextField, useAction, useOwnKey } from '../parts/form.jsx';
import { WhenLoaded } from '../parts/notice.jsx';
import { type Column, PagedTable } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';

type SignatureRecord = components['schemas']['SignatureRecordDto'];
type Signed = components['schemas']['SignedDto'];

const W = words.wallets.signatures;

const COLUMNS: readonly Column<SignatureRecord>[] = [
  { title: words.wallets.address, cell: ({ address }) => <code>{address}</code> },
  { title: W.scheme, isWide: true, cell: ({ scheme }) => scheme },
  { title: W.digest, isWide: true, cell: ({ digest }) => <code>{digest}</code> },
  { title: W.by, isWide: true, cell: ({ requested_by: by }) => by },
  { title: W.time, cell: ({ created_at: at }) => <Moment at={at} /> },
];

export function Signatures({ walletId }: { readonly walletId: string }): JSX.Element {
  const path = { wallet_id: walletId };
  const { client } = session.value;
  const pages = usePaged(walletId, (cursor, signal) =>
    client.get('/wallets/{wallet_id}/signatures', { params: { path, query: after(cursor) }, signal }),
  );
  const addresses = useLoaded(walletId, (signal) =>
    client.get('/wallets/{wallet_id}/addresses', { params: { path, query: { limit: 200 } }, signal }),
  );
  return (
    <>
      <section class="panel">
        <h2>{words.wallets.walletParts.signatures}</h2>
        <PagedTable
          label={words.wallets.walletParts.signatures}
          columns={COLUMNS}
          pages={pages}
          none={W.none}
          keyOf={({ signature_id: id }) => id}
        />
      </section>
      <section class="panel">
        <h2>{W.make}</h2>
        <WhenLoaded of={addresses}>
          {({ data }) =>
            data.length === 0 ? (
              <p class="empty">{W.noAddress}</p>
            ) : (
              <Sign
                walletId={walletId}
                addresses={data.map(({ address }) => address)}
                onSigned={pages.reload}
              />
            )
          }
        </WhenLoaded>
      </section>
    </>
  );
}

interface SignProps {
  readonly walletId: string;
  readonly addresses: readonly string[];
  readonly onSigned: () => void;
}

interface Draft {
  readonly address: string;
  readonly type: 'raw' | 'typed';
  readonly encoding: 'utf8' | 'hex';
  readonly text: string;
}

const bodyOf = ({ address, type, encoding, text }: Draft) =>
  type === 'raw'
    ? { address, type, encoding, payload: text }
    : { address, type, typed_data: JSON.parse(text) as Record<string, never> };

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function Sign({ walletId, addresses, onSigned }: SignProps): JSX.Element {
  const [draft, setDraft] = useState<Draft>({
    address: addresses[0]!,
    type: 'raw',
    encoding: 'utf8',
    text: '',
  });
  const [signed, setSigned] = useState<Signed | undefined>(undefined);
  const [isRefused, setRefused] = useState(false);
  const action = useAction(['address', 'encoding', 'payload', 'typed_data']);
  const key = useOwnKey(draft);
  const sign = async (): Promise<undefined> => {
    setSigned(undefined);
    setSigned(
      await session.value.client.post('/wallets/{wallet_id}/sign', {
        params: { path: { wallet_id: walletId } },
        body: bodyOf(draft),
        headers: { 'Idempotency-Key': key.current },
      }),
    );
    key.renew();
    onSigned();
  };
  const submit = (): void => {
    const isReadable = draft.type === 'raw' || isJson(draft.text);
    setRefused(!isReadable);
    if (isReadable) void action.run(sign);
  };
  return (
    <>
      <p class="hint">{W.hint}</p>
      <Form label={W.make} submit={W.make} action={action} onSubmit={submit}>
        <Choice
          label={words.wallets.address}
          value={draft.address}
          options={Object.fromEntries(addresses.map((address) => [address, address]))}
          onChange={(address) => setDraft({ ...draft, address })}
          error={action.errors['address']}
        />
        <Choice
          label={W.type}
          value={draft.type}
          options={W.types}
          onChange={(type) => setDraft({ ...draft, type })}
        />
        {draft.type === 'raw' && (
          <Choice
            label={W.encoding}
            value={draft.encoding}
            options={W.encodings}
            onChange={(encoding) => setDraft({ ...draft, encoding })}
            error={action.errors['encoding']}
          />
        )}
        <TextField
          label={draft.type === 'raw' ? W.payload : W.typedData}
          rows={6}
          value={draft.text}
          onChange={(text) => setDraft({ ...draft, text })}
          error={isRefused ? W.noJson : (action.errors['payload'] ?? action.errors['typed_data'])}
        />
      </Form>
      {signed !== undefined && <Result signed={signed} />}
    </>
  );
}

function Result({ signed }: { readonly signed: Signed }): JSX.Element {
  return (
    <div role="status">
      <Facts
        of={(['scheme', 'signature', 'digest'] as const).map((name) => [
          W[name],
          <span key={name} class="row">
            <code>{signed[name]}</code>
            <Copy label={words.copy} of={W[name]} text={signed[name]} />
          </span>,
        ])}
      />
    </div>
  );
}
