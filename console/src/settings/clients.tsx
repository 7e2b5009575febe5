import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { after, usePaged } from '../live.js';
import { CheckList } from '../parts/check-list.jsx';
import { Confirm } from '../parts/confirm.jsx';
import { Check, Form, TextField, useAction } from '../parts/form.jsx';
import { Secret } from '../parts/secret.jsx';
import { type Column, PagedTable } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { grantableScopes, type Scope } from './scopes.js';

type Client = components['schemas']['ClientDto'];
type GrantType = Client['grant_types'][number];

const W = words.settings;
const GRANT_TYPES: readonly GrantType[] = [
  'client_credentials',
  'authorization_code',
  'refresh_token',
  'implicit',
];

function columnsOf(reload: () => void): readonly Column<Client>[] {
  return [
    { title: W.name, cell: ({ name }) => name },
    { title: W.clients.id, cell: ({ client_id: id }) => <code>{id}</code> },
    { title: W.scopes, isWide: true, cell: ({ scopes }) => scopes.join(', ') || W.noScopes },
    { title: W.clients.grants, isWide: true, cell: ({ grant_types: types }) => types.join(', ') },
    { title: W.lastUsed, isWide: true, cell: ({ last_used_at: at }) => <Moment at={at} /> },
    {
      title: W.actions,
      cell: ({ client_id: id, name }) => (
        <Confirm
          label={W.delete}
          of={name}
          what={W.clients.deleteWhat}
          work={() =>
            session.value.client.delete('/auth/clients/{client_id}', { params: { path: { client_id: id } } })
          }
          onDone={reload}
        />
      ),
    },
  ];
}

export function Clients(): JSX.Element {
  const pages = usePaged('clients', (cursor, signal) =>
    session.value.client.get('/auth/clients', {
      params: { query: after(cursor) },
      signal,
    }),
  );
  return (
    <>
      <section class="panel">
        <h2>{W.clients.title}</h2>
        <PagedTable
          label={W.clients.title}
          columns={columnsOf(pages.reload)}
          pages={pages}
          none={W.clients.none}
          keyOf={({ client_id: id }) => id}
        />
      </section>
      <NewClient onMade={pages.reload} />
    </>
  );
}

interface Draft {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly grants: readonly GrantType[];
  readonly redirects: string;
  readonly isPublic: boolean;
}

const NO_CLIENT: Draft = {
  name: '',
  scopes: [],
  grants: ['client_credentials'],
  redirects: '',
  isPublic: false,
};

function NewClient({ onMade }: { readonly onMade: () => void }): JSX.Element {
  const [draft, setDraft] = useState(NO_CLIENT);
  const [secret, setSecret] = useState<string | null>(null);
  const action = useAction(['name', 'scopes', 'grant_types', 'redirect_uris']);
  const { errors } = action;
  const make = async (): Promise<void> => {
    setSecret(null);
    const redirects = draft.redirects.split(/\s+/).filter(Boolean);
    const body = {
      name: draft.name,
      scopes: [...draft.scopes],
      grant_types: [...draft.grants],
      public: draft.isPublic,
      ...(redirects.length > 0 && { redirect_uris: redirects }),
    };
    const isDone = await action.run(async () => {
      const made = await session.value.client.post('/auth/clients', { body });
      setSecret(made.client_secret);
      return made.client_secret === null ? W.clients.madePublic : undefined;
    });
    if (!isDone) return;
    setDraft(NO_CLIENT);
    onMade();
  };
  return (
    <section class="panel">
      <h2>{W.clients.make}</h2>
      <Form label={W.clients.make} submit={W.clients.make} action={action} onSubmit={() => void make()}>
        <TextField
          label={W.name}
          value={draft.name}
          onChange={(name) => setDraft({ ...draft, name })}
          error={errors['name']}
        />
        <CheckList
          label={W.scopes}
          hint={W.scopesHint}
          options={grantableScopes()}
          chosen={draft.scopes}
          onChange={(scopes) => setDraft({ ...draft, scopes })}
          error={errors['scopes']}
        />
        <CheckList
          label={W.clients.grants}
          options={GRANT_TYPES}
          chosen={draft.grants}
          onChange={(grants) => setDraft({ ...draft, grants })}
          error={errors['grant_types']}
        />
        <TextField
          label={W.clients.redirects}
          rows={3}
          value={draft.redirects}
          onChange={(redirects) => setDraft({ ...draft, redirects })}
          error={errors['redirect_uris']}
        />
        <Check
          label={W.clients.isPublic}
          checked={draft.isPublic}
          onChange={(isPublic) => setDraft({ ...draft, isPublic })}
        />
      </Form>
      {secret !== null && <Secret label={W.clients.made} value={secret} />}
    </section>
  );
}
