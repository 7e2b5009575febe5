import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { after, usePaged } from '../live.js';
import { Confirm } from '../parts/confirm.jsx';
import { ConfirmWithReason } from '../parts/confirm-with-reason.jsx';
import { Form, TextField, useAction } from '../parts/form.jsx';
import { type Column, PagedTable } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { isOperatorIn, type Room } from './use-room.js';

type Schemas = components['schemas'];
type Member = Schemas['MemberDto'];
type Ban = Schemas['BanDto'];

const W = words.chat;
const HOUR_MS = 3_600_000;
const fromNow = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString();

interface MembersProps {
  readonly room: Room;
  /** Another number whenever somebody came or went. */
  readonly changes: number;
  readonly onOwnChange: () => void;
}

/** Who is in the room, and what its moderators, its owners and operators can do about it. */
export function Members({ room, changes, onOwnChange }: MembersProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const [round, setRound] = useState(0);
  const changed = (): void => setRound(round + 1);
  const role = room.membership?.role ?? null;
  const key = isOpen ? `${room.room_id} ${changes} ${round}` : null;
  const members = usePaged(key, (cursor, signal) =>
    session.value.client.get('/chat/rooms/{room_id}/members', {
      params: { path: { room_id: room.room_id }, query: after(cursor) },
      signal,
    }),
  );
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{W.people}</summary>
      {isOpen && (
        <>
          <PagedTable
            label={W.people}
            columns={columnsOf(room, role, changed)}
            pages={members}
            none={W.noRooms}
            keyOf={({ member }) => member}
          />
          {role !== null && role !== 'member' && room.type !== 'direct' && (
            <BringIn roomId={room.room_id} onDone={changed} />
          )}
          {isOperatorIn(room) && <Bans roomId={room.room_id} round={round + changes} onDone={onOwnChange} />}
        </>
      )}
    </details>
  );
}

function columnsOf(
  room: Room,
  role: Member['role'] | null,
  onChanged: () => void,
): readonly Column<Member>[] {
  return [
    { title: W.member, cell: ({ member }) => member },
    { title: W.role, cell: ({ role: each }) => W.roles[each] },
    {
      title: W.mutedUntil,
      isWide: true,
      cell: ({ muted_until: until }) => (until === null ? '' : <Moment at={until} />),
    },
    {
      title: words.banking.actions,
      cell: (member) => <Acts room={room} role={role} member={member} onChanged={onChanged} />,
    },
  ];
}

interface ActsProps {
  readonly room: Room;
  /** One's own. */
  readonly role: Member['role'] | null;
  readonly member: Member;
  readonly onChanged: () => void;
}

function Acts({
  room,
  role,
  member: { member, role: theirs, muted_until: until },
  onChanged,
}: ActsProps): JSX.Element | null {
  const { client, user } = session.value;
  if (member === user?.username || room.type === 'direct') return null;
  const params = { path: { room_id: room.room_id, member } };
  const path = '/chat/rooms/{room_id}/members/{member}';
  const change = (body: Schemas['ChangeMemberDto']): Promise<unknown> => client.patch(path, { params, body });
  const mayModerate = role === 'owner' || (role === 'moderator' && theirs === 'member');
  return (
    <span class="row">
      {role === 'owner' && <RoleChoice member={member} role={theirs} change={change} onDone={onChanged} />}
      {mayModerate && until === null && (
        <Confirm
          label={W.mute}
          of={member}
          what={W.muteWhat}
          work={() => change({ muted_until: fromNow(1) })}
          onDone={onChanged}
        />
      )}
      {mayModerate && until !== null && (
        <Confirm
          label={W.unmute}
          of={member}
          what={W.unmuteWhat}
          isDangerous={false}
          work={() => change({ muted_until: null })}
          onDone={onChanged}
        />
      )}
      {mayModerate && (
        <Confirm
          label={W.remove}
          of={member}
          what={W.removeWhat}
          work={() => client.delete(path, { params })}
          onDone={onChanged}
        />
      )}
      {isOperatorIn(room) && (
        <OperatorActs
          roomId={room.room_id}
          member={member}
          isMuted={until !== null}
          mayModerate={mayModerate}
          onChanged={onChanged}
        />
      )}
    </span>
  );
}

interface OperatorActsProps {
  readonly roomId: string;
  readonly member: string;
  readonly isMuted: boolean;
  /** Who moderates the room needs no operator's mute. */
  readonly mayModerate: boolean;
  readonly onChanged: () => void;
}

/** What operators can do in rooms that they do not moderate, with their reasons. */
function OperatorActs({ roomId, member, isMuted, mayModerate, onChanged }: OperatorActsProps): JSX.Element {
  const { client } = session.value;
  const path = { room_id: roomId };
  return (
    <>
      {!mayModerate && !isMuted && (
        <ConfirmWithReason
          label={W.mute}
          of={member}
          what={W.muteWhat}
          work={(reason) =>
            client.post('/admin/chat/rooms/{room_id}/mutes', {
              params: { path },
              body: { member, reason, until: fromNow(1) },
            })
          }
          onDone={onChanged}
        />
      )}
      {!mayModerate && isMuted && (
        <Confirm
          label={W.unmute}
          of={member}
          what={W.unmuteWhat}
          isDangerous={false}
          work={() =>
            client.delete('/admin/chat/rooms/{room_id}/mutes/{member}', {
              params: { path: { ...path, member } },
            })
          }
          onDone={onChanged}
        />
      )}
      <ConfirmWithReason
        label={W.ban}
        of={member}
        what={W.banWhat}
        work={(reason) =>
          client.post('/admin/chat/rooms/{room_id}/bans', {
            params: { path },
            body: { member, reason, until: fromNow(24) },
          })
        }
        onDone={onChanged}
      />
    </>
  );
}

interface RoleChoiceProps {
  readonly member: string;
  readonly role: Member['role'];
  readonly change: (body: Schemas['ChangeMemberDto']) => Promise<unknown>;
  readonly onDone: () => void;
}

function RoleChoice({ member, role, change, onDone }: RoleChoiceProps): JSX.Element {
  const action = useAction();
  const give = async (next: Member['role']): Promise<void> => {
    const isDone = await action.run(async () => {
      await change({ role: next });
      return undefined;
    });
    if (isDone) onDone();
  };
  return (
    <>
      <select
        aria-label={W.changeRole({ member })}
        value={role}
        disabled={action.isBusy}
        onChange={({ currentTarget }) => void give(currentTarget.value as Member['role'])}
      >
        {Object.entries(W.roles).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      {action.failure !== '' && <span class="error">{action.failure}</span>}
    </>
  );
}

function BringIn({ roomId, onDone }: { readonly roomId: string; readonly onDone: () => void }): JSX.Element {
  const [member, setMember] = useState('');
  const action = useAction(['member']);
  const add = async (): Promise<undefined> => {
    await session.value.client.post('/chat/rooms/{room_id}/members', {
      params: { path: { room_id: roomId } },
      body: { member },
    });
    setMember('');
    onDone();
    return undefined;
  };
  return (
    <Form label={W.add} submit={W.add} action={action} onSubmit={() => void action.run(add)}>
      <TextField
        label={W.member}
        value={member}
        onChange={(text) => setMember(text.trim())}
        error={action.errors['member']}
      />
    </Form>
  );
}

interface BansProps {
  readonly roomId: string;
  readonly round: number;
  readonly onDone: () => void;
}

/** For operators: who cannot come back yet. */
function Bans({ roomId, round, onDone }: BansProps): JSX.Element {
  const bans = usePaged(`${roomId} ${round}`, (cursor, signal) =>
    session.value.client.get('/admin/chat/rooms/{room_id}/bans', {
      params: { path: { room_id: roomId }, query: after(cursor) },
      signal,
    }),
  );
  const columns: readonly Column<Ban>[] = [
    { title: W.member, cell: ({ member }) => member },
    { title: W.until, cell: ({ until }) => <Moment at={until} /> },
    { title: W.banReason, isWide: true, cell: ({ reason }) => reason },
    { title: W.bannedBy, isWide: true, cell: ({ banned_by: by }) => by },
    {
      title: words.banking.actions,
      cell: ({ member }) => (
        <Confirm
          label={W.lift}
          of={member}
          what={W.liftWhat}
          isDangerous={false}
          work={() =>
            session.value.client.delete('/admin/chat/rooms/{room_id}/bans/{member}', {
              params: { path: { room_id: roomId, member } },
            })
          }
          onDone={() => {
            bans.reload();
            onDone();
          }}
        />
      ),
    },
  ];
  return (
    <>
      <h3>{W.bans}</h3>
      <PagedTable
        label={W.bans}
        columns={columns}
        pages={bans}
        none={W.noBans}
        keyOf={({ member }) => member}
      />
    </>
  );
}
