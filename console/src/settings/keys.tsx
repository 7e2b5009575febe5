import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { after, usePaged } from '../live.js';
import { CheckList } from '../parts/check-list.jsx';
import { Confirm } from '../parts/confirm.jsx';
import { Form, TextField, useAction } from '../parts/form.jsx';
import { Secret } from '../parts/secret.jsx';
import { type Column, PagedTable } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { type KeyTerms, NO_TERMS, TermFields, TERMS, termsOf } from './key-terms.jsx';
import { grantableScopes } from './scopes.js';

type ApiKey = components['schemas']['ApiKeyDto'];

const W = words.settings;

async function rotate(id: string, onRotated: (key: string) => void): Promise<void> {
  const { api_key: key } = await session.value.client.post('/auth/api-keys/{api_key_id}/rotate', {
    params: { path: { api_key_id: id } },
    body: {},
  });
  onRotated(key);
}

function columnsOf(reload: () => void, onRotated: (key: string) => void): readonly Column<ApiKey>[] {
  return [
    { title: W.name, cell: ({ name }) => name },
    { title: W.keys.prefix, isWide: true, cell: ({ prefix }) => <code>{prefix}</code> },
    { title: W.scopes, cell: ({ scopes }) => scopes.join(', ') || W.noScopes },
    {
      title: W.keys.from,
      isWide: true,
      cell: ({ allowed_addresses: addresses }) => addresses?.join(', ') ?? W.keys.anywhere,
    },
    { title: W.keys.on, isWide: true, cell: ({ markets }) => markets?.join(', ') ?? W.keys.allMarkets },
    { title: W.lastUsed, isWide: true, cell: ({ last_used_at: at }) => <Moment at={at} /> },
    {
      title: W.expires,
      isWide: true,
      cell: ({ expires_at: at }) => (at === null ? W.never : <Moment at={at} />),
    },
    {
      title: W.actions,
      cell: ({ api_key_id: id, name }) => (
        <span class="row">
          <Confirm
            label={W.keys.rotate}
            of={name}
            what={W.keys.rotateWhat}
            isDangerous={false}
            work={() => rotate(id, onRotated)}
            onDone={reload}
          />
          <Confirm
            label={W.delete}
            of={name}
            what={W.keys.deleteWhat}
            work={() =>
              session.value.client.delete('/auth/api-keys/{api_key_id}', {
                params: { path: { api_key_id: id } },
              })
            }
            onDone={reload}
          />
        </span>
      ),
    },
  ];
}

export function Keys(): JSX.Element {
  const [rotated, setRotated] = useState<string | undefined>(undefined);
  const pages = usePaged('keys', (cursor, signal) =>
    session.value.client.get('/auth/api-keys', {
      params: { query: after(cursor) },
      signal,
    }),
  );
  return (
    <>
      <section class="panel">
        <h2>{W.keys.title}</h2>
        <PagedTable
          label={W.keys.title}
          columns={columnsOf(pages.reload, setRotated)}
          pages={pages}
          none={W.keys.none}
          keyOf={({ api_key_id: id }) => id}
        />
        {rotated !== undefined && <Secret label={W.keys.made} value={rotated} />}
      </section>
      <NewKey onMade={pages.reload} />
    </>
  );
}

function NewKey({ onMade }: { readonly onMade: () => void }): JSX.Element {
  const [terms, setTerms] = useState<KeyTerms>(NO_TERMS);
  const [secret, setSecret] = useState<string | undefined>(undefined);
  const action = useAction(TERMS);
  const make = async (): Promise<void> => {
    setSecret(undefined);
    const body = termsOf(terms);
    const isDone = await action.run(async () => {
      setSecret((await session.value.client.post('/auth/api-keys', { body })).api_key);
      return undefined;
    });
    if (!isDone) return;
    setTerms(NO_TERMS);
    onMade();
  };
  return (
    <section class="panel">
      <h2>{W.keys.make}</h2>
      <Form label={W.keys.make} submit={W.keys.make} action={action} onSubmit={() => void make()}>
        <TextField
          label={W.name}
          value={terms.name}
          onChange={(name) => setTerms({ ...terms, name })}
          error={action.errors['name']}
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
      {secret !== undefined && <Secret label={W.keys.made} value={secret} />}
    </section>
  );
}
