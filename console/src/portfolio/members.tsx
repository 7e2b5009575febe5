import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLoaded } from '../live.js';
import { Confirm } from '../parts/confirm.jsx';
import { Choice } from '../parts/field.jsx';
import { Form, TextField, useAction, useOwnKey } from '../parts/form.jsx';
import { Badge, WhenLoaded } from '../parts/notice.jsx';
import { type Column, Table } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { Link } from '../router.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';

type Member = components['schemas']['AccountMemberDto'];
type Draft = components['schemas']['InviteMemberDto'];

const W = words.accounts;

interface MembersProps {
  readonly accountId: string;
  readonly name: string;
}

/** Who else may act on an account, and who was invited to. */
export function Members({ accountId, name }: MembersProps): JSX.Element {
  const members = useLoaded(accountId, (signal) =>
    session.value.client.get('/accounts/{account_id}/members', {
      params: { path: { account_id: accountId } },
      signal,
    }),
  );
  return (
    <>
      <section class="panel">
        <div class="filters">
          <h2>{W.membersOf({ name })}</h2>
          <Link to="portfolio/accounts">{W.all}</Link>
        </div>
        <WhenLoaded of={members}>
          {({ data: rows }) =>
            rows.length === 0 ? (
              <p class="empty">{W.noMembers}</p>
            ) : (
              <Table
                label={W.membersOf({ name })}
                columns={columnsOf(accountId, members.reload)}
                rows={rows}
                keyOf={({ username }) => username}
              />
            )
          }
        </WhenLoaded>
      </section>
      {members.value !== undefined && <Invite accountId={accountId} onInvited={members.reload} />}
    </>
  );
}

function columnsOf(accountId: string, reload: () => void): readonly Column<Member>[] {
  return [
    { title: W.username, cell: ({ username }) => username },
    { title: W.role, cell: ({ role }) => W.roles[role] },
    {
      title: W.status,
      cell: ({ status }) => <Badge tone={status === 'active' ? 'good' : 'waits'} text={W.statuses[status]} />,
    },
    { title: W.until, isWide: true, cell: ({ expires_at: at }) => at !== null && <Moment at={at} /> },
    {
      title: W.actions,
      cell: ({ username }) => (
        <Confirm
          label={W.end}
          of={username}
          what={W.endWhat}
          work={() =>
            session.value.client.delete('/accounts/{account_id}/members/{username}', {
              params: { path: { account_id: accountId, username } },
            })
          }
          onDone={reload}
        />
      ),
    },
  ];
}

const NOBODY: Draft = { username: '', role: 'viewer' };

interface InviteProps {
  readonly accountId: string;
  readonly onInvited: () => void;
}

function Invite({ accountId, onInvited }: InviteProps): JSX.Element {
  const [draft, setDraft] = useState(NOBODY);
  const action = useAction(['username', 'role']);
  const key = useOwnKey(draft);
  const invite = async (): Promise<string> => {
    const { status } = await session.value.client.post('/accounts/{account_id}/members', {
      params: { path: { account_id: accountId } },
      body: draft,
      headers: { 'Idempotency-Key': key.current },
    });
    key.renew();
    setDraft(NOBODY);
    onInvited();
    return status === 'active' ? W.roleChanged : W.invited;
  };
  return (
    <section class="panel">
      <h2>{W.invite}</h2>
      <Form label={W.invite} submit={W.invite} action={action} onSubmit={() => void action.run(invite)}>
        <TextField
          label={W.username}
          value={draft.username}
          onChange={(username) => setDraft({ ...draft, username })}
          error={action.errors['username']}
        />
        <Choice
          label={W.role}
          value={draft.role}
          options={W.mayDo}
          onChange={(role) => setDraft({ ...draft, role })}
          error={action.errors['role']}
          hint={W.inviteHint}
        />
      </Form>
    </section>
  );
}
