import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { after, usePaged } from '../live.js';
import { Confirm } from '../parts/confirm.jsx';
import { Form, TextField, useAction } from '../parts/form.jsx';
import { Badge } from '../parts/notice.jsx';
import { type Column, PagedTable } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { Authenticator } from './authenticator.jsx';
import { Passkeys } from './passkeys.jsx';
import { EmailAddress } from './email.jsx';

type UserSession = components['schemas']['SessionDto'];

const W = words.settings;

export function Security(): JSX.Element {
  // A change of the password ends the other sessions.
  const [changes, setChanges] = useState(0);
  return (
    <>
      <Sessions key={changes} />
      <Passkeys />
      <EmailAddress />
      <Authenticator />
      <Password onChanged={() => setChanges(changes + 1)} />
    </>
  );
}

function columnsOf(reload: () => void): readonly Column<UserSession>[] {
  const S = W.sessions;
  return [
    {
      title: S.device,
      cell: ({ device, is_current: isCurrent }) => (
        <>
          {device} {isCurrent && <Badge tone="good" text={S.here} />}
        </>
      ),
    },
    { title: S.address, isWide: true, cell: ({ address }) => address },
    { title: S.started, isWide: true, cell: ({ started_at: at }) => <Moment at={at} /> },
    { title: S.lastUsed, cell: ({ last_used_at: at }) => <Moment at={at} /> },
    { title: S.expires, isWide: true, cell: ({ expires_at: at }) => <Moment at={at} /> },
    {
      title: S.actions,
      cell: ({ session_id: id, device, is_current: isCurrent }) =>
        !isCurrent && (
          <Confirm
            label={S.end}
            of={device}
            what={S.endWhat}
            work={() =>
              session.value.client.delete('/user/sessions/{session_id}', {
                params: { path: { session_id: id } },
              })
            }
            onDone={reload}
          />
        ),
    },
  ];
}

function Sessions(): JSX.Element {
  const S = W.sessions;
  const { client } = session.value;
  const pages = usePaged('sessions', (cursor, signal) =>
    client.get('/user/sessions', { params: { query: after(cursor) }, signal }),
  );
  return (
    <section class="panel">
      <div class="row">
        <h2>{S.title}</h2>
        {(pages.rows?.length ?? 0) > 1 && (
          <Confirm
            label={S.endOthers}
            what={S.endOthersWhat}
            work={() => client.delete('/user/sessions')}
            onDone={pages.reload}
          />
        )}
      </div>
      <PagedTable
        label={S.title}
        columns={columnsOf(pages.reload)}
        pages={pages}
        none={S.none}
        keyOf={({ session_id: id }) => id}
      />
    </section>
  );
}

const NO_PASSWORD = { current: '', next: '', again: '' };

function Password({ onChanged }: { readonly onChanged: () => void }): JSX.Element {
  const P = W.password;
  const [draft, setDraft] = useState(NO_PASSWORD);
  const [differs, setDiffers] = useState(false);
  const action = useAction(['current_password', 'new_password']);
  const change = async (): Promise<void> => {
    setDiffers(draft.next !== draft.again);
    if (draft.next !== draft.again) return;
    const isDone = await action.run(async () => {
      const body = { current_password: draft.current, new_password: draft.next };
      await session.value.client.post('/user/password', { body });
      return P.changed;
    });
    if (!isDone) return;
    setDraft(NO_PASSWORD);
    onChanged();
  };
  return (
    <section class="panel">
      <h2>{P.title}</h2>
      <Form label={P.title} submit={P.change} action={action} onSubmit={() => void change()}>
        <TextField
          label={P.current}
          type="password"
          autoComplete="current-password"
          value={draft.current}
          onChange={(current) => setDraft({ ...draft, current })}
          error={action.errors['current_password']}
        />
        <TextField
          label={P.next}
          type="password"
          autoComplete="new-password"
          value={draft.next}
          onChange={(next) => setDraft({ ...draft, next })}
          error={action.errors['new_password']}
          hint={P.hint}
        />
        <TextField
          label={P.again}
          type="password"
          autoComplete="new-password"
          value={draft.again}
          onChange={(again) => setDraft({ ...draft, again })}
          error={differs ? P.differs : undefined}
        />
      </Form>
    </section>
  );
}
