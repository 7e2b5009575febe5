import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Confirm } from '../parts/confirm.jsx';
import { Outcome, useAction } from '../parts/form.jsx';
import { Failure } from '../parts/notice.jsx';
import { Link, navigate } from '../router.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { Composer } from './composer.jsx';
import { Members } from './members.jsx';
import { MessageView } from './message.jsx';
import { type RoomInUse, type RoomView, useRoom } from './use-room.js';

const W = words.chat;

function typingWords(names: readonly string[]): string {
  const [name] = names;
  if (name === undefined) return '';
  return names.length === 1 ? W.typing({ name }) : W.manyTyping({ count: names.length });
}

interface ChatRoomProps {
  readonly roomId: string;
  /** The message whose thread is open. */
  readonly threadId: string | undefined;
}

export function ChatRoom({ roomId, threadId }: ChatRoomProps): JSX.Element {
  const inUse = useRoom(roomId);
  const { view, failure, reload } = inUse;
  return (
    <section class="panel">
      <p class="back">
        <Link to="chat">{W.allRooms}</Link>
      </p>
      {failure !== undefined && <Failure text={failure} onRetry={reload} />}
      {view === undefined ? (
        failure === undefined && <p role="status">{words.loading}</p>
      ) : (
        <>
          <Head view={view} inUse={inUse} />
          {threadId === undefined ? (
            <WholeRoom view={view} inUse={inUse} />
          ) : (
            <Thread key={threadId} messageId={threadId} view={view} inUse={inUse} />
          )}
          <Members room={view.room} changes={view.memberChanges} onOwnChange={reload} />
        </>
      )}
    </section>
  );
}

interface PartProps {
  readonly view: RoomView;
  readonly inUse: RoomInUse;
}

function Head({ view: { room }, inUse: { reload } }: PartProps): JSX.Element {
  const action = useAction();
  const params = { path: { room_id: room.room_id } };
  const join = async (): Promise<undefined> => {
    await session.value.client.post('/chat/rooms/{room_id}/members', { params, body: {} });
    reload();
    return undefined;
  };
  return (
    <>
      <div class="row">
        <h2>{room.name}</h2>
        {room.membership === null ? (
          <button
            type="button"
            class="primary"
            disabled={action.isBusy}
            onClick={() => void action.run(join)}
          >
            {W.join}
          </button>
        ) : (
          room.type !== 'direct' && (
            <Confirm
              label={W.leave}
              what={W.leaveWhat}
              work={() =>
                session.value.client.delete('/chat/rooms/{room_id}/members/{member}', {
                  params: { path: { ...params.path, member: 'me' } },
                })
              }
              onDone={() => navigate('chat')}
            />
          )
        )}
      </div>
      <p class="hint">
        {W.kinds[room.type]} · {W.members({ count: room.members_count })}
      </p>
      {room.membership === null && <p class="hint">{W.joinHint}</p>}
      <Outcome of={action} />
    </>
  );
}

function WholeRoom({ view, inUse }: PartProps): JSX.Element {
  const messages = view.messages.filter(
    ({ parent_id: parent, sequence }) => parent === null && sequence >= view.since,
  );
  return (
    <>
      {view.hasEarlier && (
        <button type="button" class="more" onClick={() => void inUse.loadEarlier()}>
          {W.earlier}
        </button>
      )}
      <Log label={W.messages} view={view} inUse={inUse} messages={messages} />
      {view.room.membership !== null && (
        <Composer roomId={view.room.room_id} parentId={undefined} inUse={inUse} />
      )}
    </>
  );
}

function Thread({ view, inUse, messageId }: PartProps & { readonly messageId: string }): JSX.Element {
  const action = useAction();
  useEffect(() => {
    void action.run(async () => {
      await inUse.loadThread(messageId);
      return undefined;
    });
  }, [messageId]);
  const messages = view.messages.filter(
    ({ message_id: id, parent_id: parent }) => id === messageId || parent === messageId,
  );
  return (
    <>
      <p>
        <Link to={`chat/${view.room.room_id}`}>{W.closeThread}</Link>
      </p>
      <h3>{W.thread}</h3>
      <Outcome of={action} />
      <Log label={W.thread} view={view} inUse={inUse} messages={messages} />
      {view.room.membership !== null && (
        <Composer roomId={view.room.room_id} parentId={messageId} inUse={inUse} />
      )}
    </>
  );
}

interface LogProps extends PartProps {
  readonly label: string;
  readonly messages: RoomView['messages'];
}

/** Messages, kept at the newest as long as that is what one looks at. */
function Log({ label, view, inUse, messages }: LogProps): JSX.Element {
  const log = useRef<HTMLDivElement | null>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current && log.current !== null) log.current.scrollTop = log.current.scrollHeight;
  }, [messages.length]);
  return (
    <>
      <div
        ref={log}
        class="messages"
        role="log"
        aria-label={label}
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40;
        }}
      >
        {messages.length === 0 && <p class="hint">{W.noMessages}</p>}
        {messages.map((message) => (
          <MessageView key={message.message_id} message={message} room={view.room} inUse={inUse} />
        ))}
      </div>
      <p class="typing">{typingWords(view.typing)}</p>
    </>
  );
}
