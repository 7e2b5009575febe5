import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Confirm } from '../parts/confirm.jsx';
import { Form, TextField, useAction } from '../parts/form.jsx';
import { Time } from '../parts/time.jsx';
import { Link } from '../router.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { beginningOf } from './beginning.js';
import { isOperatorIn, type Message, type Room, type RoomInUse } from './use-room.js';

const W = words.chat;
const EMOJIS = ['👍', '❤️', '😂', '🎉', '😢'];

interface MessageViewProps {
  readonly message: Message;
  readonly room: Room;
  readonly inUse: RoomInUse;
}

export function MessageView({ message, room, inUse }: MessageViewProps): JSX.Element {
  const [isEdited, setEdited] = useState(false);
  const { author, text, created_at: at, edited_at: editedAt } = message;
  return (
    <article class="message">
      <div class="row">
        <strong>{author}</strong>
        <span class="hint">
          <Time at={at} /> {editedAt !== null && text !== null && W.edited}
        </span>
      </div>
      {text === null ? (
        <p class="hint">{W.deleted}</p>
      ) : isEdited ? (
        <Edit message={message} inUse={inUse} onDone={() => setEdited(false)} />
      ) : (
        <p class="text">{text}</p>
      )}
      <Acts message={message} room={room} inUse={inUse} onEdit={() => setEdited(true)} />
    </article>
  );
}

interface EditProps extends Pick<MessageViewProps, 'message' | 'inUse'> {
  readonly onDone: () => void;
}

function Edit({ message, inUse, onDone }: EditProps): JSX.Element {
  const [text, setText] = useState(message.text ?? '');
  const action = useAction(['text']);
  const save = async (): Promise<void> => {
    const isSaved = await action.run(async () => {
      const path = { room_id: message.room_id, message_id: message.message_id };
      const changed = await session.value.client.patch('/chat/rooms/{room_id}/messages/{message_id}', {
        params: { path },
        body: { text },
      });
      inUse.take(changed);
      return undefined;
    });
    if (isSaved) onDone();
  };
  return (
    <Form label={W.edit} submit={W.save} action={action} onSubmit={() => void save()}>
      <TextField label={W.message} rows={2} value={text} onChange={setText} error={action.errors['text']} />
    </Form>
  );
}

interface ActsProps extends MessageViewProps {
  readonly onEdit: () => void;
}

/** Reactions, the thread, and what one may do with the message. */
function Acts({ message, room, inUse, onEdit }: ActsProps): JSX.Element {
  const { message_id: id, room_id: roomId, author, text, parent_id: parent } = message;
  const isMember = room.membership !== null && text !== null;
  const { client, user } = session.value;
  const isOwn = author === user?.username;
  const isModerator = room.membership !== null && room.membership.role !== 'member';
  const params = { path: { room_id: roomId, message_id: id } };
  const of = W.of({ author, text: beginningOf(text) });
  return (
    <div class="row acts">
      <Reactions message={message} mayReact={isMember} inUse={inUse} />
      {parent === null && (
        <Link to={`chat/${roomId}/${id}`}>
          {message.reply_count === 0 ? W.reply : W.replies({ count: message.reply_count })}
        </Link>
      )}
      {isMember && isOwn && (
        <button type="button" aria-label={`${W.edit}: ${of}`} onClick={onEdit}>
          {W.edit}
        </button>
      )}
      {text !== null && (isModerator || (isMember && isOwn) || isOperatorIn(room)) && (
        <Confirm
          label={W.delete}
          of={of}
          what={W.deleteWhat}
          work={() =>
            isModerator || isOwn
              ? client.delete('/chat/rooms/{room_id}/messages/{message_id}', { params })
              : client.delete('/admin/chat/rooms/{room_id}/messages/{message_id}', { params })
          }
          onDone={() => inUse.refresh(id)}
        />
      )}
    </div>
  );
}

interface ReactionsProps extends Pick<MessageViewProps, 'message' | 'inUse'> {
  readonly mayReact: boolean;
}

function Reactions({ message, mayReact, inUse }: ReactionsProps): JSX.Element {
  const { message_id: id, room_id: roomId, author, text } = message;
  const action = useAction();
  const [isChoosing, setChoosing] = useState(false);
  const react = (emoji: string, isMine: boolean): void => {
    const options = { params: { path: { room_id: roomId, message_id: id, emoji } } };
    const path = '/chat/rooms/{room_id}/messages/{message_id}/reactions/{emoji}';
    const { client } = session.value;
    setChoosing(false);
    void action.run(async () => {
      await (isMine ? client.delete(path, options) : client.put(path, options));
      inUse.refresh(id);
      return undefined;
    });
  };
  return (
    <>
      {message.reactions.map(({ emoji, count, mine }) => (
        <button
          key={emoji}
          type="button"
          aria-pressed={mine === true}
          disabled={!mayReact}
          onClick={() => react(emoji, mine === true)}
        >
          {W.reaction({ emoji, count })}
        </button>
      ))}
      {mayReact && (
        <button
          type="button"
          aria-expanded={isChoosing}
          aria-label={`${W.react}: ${W.of({ author, text: beginningOf(text) })}`}
          onClick={() => setChoosing(!isChoosing)}
        >
          {W.react}
        </button>
      )}
      {isChoosing &&
        EMOJIS.map((emoji) => (
          <button
            key={emoji}
            type="button"
            aria-label={W.reactWith({ emoji })}
            onClick={() => react(emoji, false)}
          >
            {emoji}
          </button>
        ))}
      {action.failure !== '' && <span class="error">{action.failure}</span>}
    </>
  );
}
