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
import { grantableScopes, type Scope } from './scopes.js';

type ApiKey = components['schemas']['ApiKeyDto'];

const W = words.settings;

function columnsOf(reload: () => void): readonly Column<ApiKey>[] {
  return [
    { title: W.name, cell: ({ name }) => name },
    { title: W.keys.prefix, isWide: true, cell: ({ prefix }) => <code>{prefix}</code> },
    { title: W.scopes, cell: ({ scopes }) => scopes.join(', ') || W.noScopes },
    {
      title: W.keys.from,
      isWide: true,
      cell: ({ allowed_addresses: addresses }) => addresses?.join(', ') ?? W.keys.anywhere,
    },
    { title: W.lastUsed, isWide: true, cell: ({ last_used_at: at }) => <Moment at={at} /> },
    {
      title: W.expires,
      isWide: true,
      cell: ({ expires_at: at }) => (at === null ? W.never : <Moment at={at} />),
    },
    {
      title: W.actions,
      cell: ({ api_key_id: id, name }) => (
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
      ),
    },
  ];
}

export function Keys(): JSX.Element {
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
          columns={columnsOf(pages.reload)}
          pages={pages}
          none={W.keys.none}
          keyOf={({ api_key_id: id }) => id}
        />
      </section>
      <NewKey onMade={pages.reload} />
    </>
  );
}

interface Draft {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** In the time of the place where the browser is. */
  readonly expires: string;
  /** One a line. */
  readonly addresses: string;
}

const NO_KEY: Draft = { name: '', scopes: [], expires: '', addresses: '' };

function NewKey({ onMade }: { readonly onMade: () => void }): JSX.Element {
  const [draft, setDraft] = useState(NO_KEY);
  const [secret, setSecret] = useState<string | undefined>(undefined);
  const action = useAction(['name', 'scopes', 'expires_at', 'allowed_addresses']);
  const make = async (): Promise<void> => {
    setSecret(undefined);
    const { name, scopes, expires } = draft;
    const addresses = draft.addresses
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
    const body = {
      name,
      scopes: [...scopes],
      ...(addresses.length > 0 && { allowed_addresses: addresses }),
      ...(expires !== '' && { expires_at: new Date(expires).toISOString() }),
    };
    const isDone = await action.run(async () => {
      setSecret((await session.value.client.post('/auth/api-keys', { body })).api_key);
      return undefined;
    });
    if (!isDone) return;
    setDraft(NO_KEY);
    onMade();
  };
  return (
    <section class="panel">
      <h2>{W.keys.make}</h2>
      <Form label={W.keys.make} submit={W.keys.make} action={action} onSubmit={() => void make()}>
        <TextField
          label={W.name}
          value={draft.name}
          onChange={(name) => setDraft({ ...draft, name })}
          error={action.errors['name']}
        />
        <CheckList
          label={W.scopes}
          hint={W.scopesHint}
          options={grantableScopes()}
          chosen={draft.scopes}
          onChange={(scopes) => setDraft({ ...draft, scopes })}
          error={action.errors['scopes']}
        />
        <TextField
          label={W.keys.addresses}
          rows={2}
          value={draft.addresses}
          onChange={(addresses) => setDraft({ ...draft, addresses })}
          error={action.errors['allowed_addresses']}
          hint={W.keys.addressesHint}
        />
        <TextField
          label={W.keys.expires}
          type="datetime-local"
          value={draft.expires}
          onChange={(expires) => setDraft({ ...draft, expires })}
          error={action.errors['expires_at']}
        />
      </Form>
      {secret !== undefined && <Secret label={W.keys.made} value={secret} />}
    </section>
  );
}
