import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { after, usePaged } from '../live.js';
import { Confirm } from '../parts/confirm.jsx';
import { type Column, PagedTable } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';

type Invitation = components['schemas']['InvitationDto'];

const W = words.accounts;

interface InvitationsProps {
  readonly onAccepted: () => void;
}

/** To accounts of others, for the user to accept or decline. */
export function Invitations({ onAccepted }: InvitationsProps): JSX.Element {
  const pages = usePaged('invitations', (cursor, signal) =>
    session.value.client.get('/accounts/invitations', { params: { query: after(cursor) }, signal }),
  );
  const accepted = (): void => {
    pages.reload();
    onAccepted();
  };
  return (
    <section class="panel">
      <h2>{W.invitations}</h2>
      <PagedTable
        label={W.invitations}
        columns={columnsOf(accepted, pages.reload)}
        pages={pages}
        none={W.noInvitations}
        keyOf={({ account_id: id }) => id}
      />
    </section>
  );
}

function columnsOf(onAccepted: () => void, onDeclined: () => void): readonly Column<Invitation>[] {
  return [
    { title: W.name, cell: ({ name }) => name },
    { title: W.id, isWide: true, cell: ({ account_id: id }) => <code>{id}</code> },
    { title: W.owner, cell: ({ owner }) => owner },
    { title: W.role, cell: ({ role }) => W.roles[role] },
    { title: W.until, isWide: true, cell: ({ expires_at: at }) => <Moment at={at} /> },
    {
      title: W.actions,
      cell: ({ account_id: id, name }) => {
        const params = { path: { account_id: id } };
        return (
          <span class="row">
            <Confirm
              label={W.accept}
              of={name}
              what={W.acceptWhat}
              isDangerous={false}
              work={() => session.value.client.post('/accounts/{account_id}/membership', { params })}
              onDone={onAccepted}
            />
            <Confirm
              label={W.decline}
              of={name}
              what={W.declineWhat}
              work={() => session.value.client.delete('/accounts/{account_id}/membership', { params })}
              onDone={onDeclined}
            />
          </span>
        );
      },
    },
  ];
}
