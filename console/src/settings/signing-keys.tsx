import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { after, usePaged } from '../live.js';
import { CheckList } from '../parts/check-list.jsx';
import { Confirm } from '../parts/confirm.jsx';
import { Form, TextField, useAction } from '../parts/form.jsx';
import { type Column, PagedTable } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { type KeyTerms, NO_TERMS, TermFields, TERMS, termsOf } from './key-terms.jsx';
import { grantableScopes } from './scopes.js';

type SigningKey = components['schemas']['SigningKeyDto'];

const W = words.settings;

function columnsOf(reload: () => void): readonly Column<SigningKey>[] {
  return [
    { title: W.name, cell: ({ name }) => name },
    { title: W.signing.id, cell: ({ signing_key_id: id }) => <code>{id}</code> },
    { title: W.scopes, cell: ({ scopes }) => scopes.join(', ') || W.noScopes },
    { title: W.keys.on, isWide: true, cell: ({ markets }) => markets?.join(', ') ?? W.keys.allMarkets },
    { title: W.lastUsed, isWide: true, cell: ({ last_used_at: at }) => <Moment at={at} /> },
    {
      title: W.expires,
      isWide: true,
      cell: ({ expires_at: at }) => (at === null ? W.never : <Moment at={at} />),
    },
    { title: W.actions, cell: (key) => <Acts of={key} onDone={reload} /> },
  ];
}

function Acts({
  of: { signing_key_id: id, name },
  onDone,
}: {
  of: SigningKey;
  onDone: () => void;
}): JSX.Element {
  const [publicKey, setPublicKey] = useState('');
  const params = { path: { signing_key_id: id } };
  return (
    <span class="row">
      <Confirm
        label={W.keys.rotate}
        of={name}
        what={W.signing.rotateWhat}
        isDangerous={false}
        fields={['public_key']}
        work={() =>
          session.value.client.post('/auth/signing-keys/{signing_key_id}/rotate', {
            params,
            body: { public_key: publicKey.trim() },
          })
        }
        onDone={onDone}
      >
        {(action) => (
          <TextField
            label={W.signing.publicKey}
            value={publicKey}
            onChange={setPublicKey}
            error={action.errors['public_key']}
          />
        )}
      </Confirm>
      <Confirm
        label={W.delete}
        of={name}
        what={W.keys.deleteWhat}
        work={() => session.value.client.delete('/auth/signing-keys/{signing_key_id}', { params })}
        onDone={onDone}
      />
    </span>
  );
}

export function SigningKeys(): JSX.Element {
  const pages = usePaged('signing keys', (cursor, signal) =>
    session.value.client.get('/auth/signing-keys', { params: { query: after(cursor) }, signal }),
  );
  return (
    <>
      <section class="panel">
        <h2>{W.signing.title}</h2>
        <p>{W.signing.why}</p>
        <PagedTable
          label={W.signing.title}
          columns={columnsOf(pages.reload)}
          pages={pages}
          none={W.signing.none}
          keyOf={({ signing_key_id: id }) => id}
        />
      </section>
      <NewSigningKey onMade={pages.reload} />
    </>
  );
}

function NewSigningKey({ onMade }: { readonly onMade: () => void }): JSX.Element {
  const [terms, setTerms] = useState<KeyTerms>(NO_TERMS);
  const [publicKey, setPublicKey] = useState('');
  const action = useAction([...TERMS, 'public_key']);
  const make = async (): Promise<void> => {
    const body = { ...termsOf(terms), public_key: publicKey.trim() };
    const isDone = await action.run(async () => {
      const { signing_key_id: id } = await session.value.client.post('/auth/signing-keys', { body });
      return W.signing.made({ id });
    });
    if (!isDone) return;
    setTerms(NO_TERMS);
    setPublicKey('');
    onMade();
  };
  return (
    <section class="panel">
      <h2>{W.signing.make}</h2>
      <Form label={W.signing.make} submit={W.signing.make} action={action} onSubmit={() => void make()}>
        <TextField
          label={W.name}
          value={terms.name}
          onChange={(name) => setTerms({ ...terms, name })}
          error={action.errors['name']}
        />
        <TextField
          label={W.signing.publicKey}
          value={publicKey}
          onChange={setPublicKey}
          error={action.errors['public_key']}
          hint={W.signing.publicKeyHint}
        />
        <CheckList
          label={W.scopes}
          hint={W.scopesHint}
          options={grantableScopes()}
          chosen={terms.scopes}
          onChange={(scopes) => setTerms({ ...terms, scopes })}
          error={action.errors['scopes']}
        />
        <TermFields terms={terms} onChange={setTerms} errors={action.errors} />
      </Form>
    </section>
  );
}
