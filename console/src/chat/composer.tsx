import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Field } from '../parts/field.jsx';
import { Form, useAction, useOwnKey } from '../parts/form.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import type { RoomInUse } from './use-room.js';

const W = words.chat;

interface ComposerProps {
  readonly roomId: string;
  readonly parentId: string | undefined;
  readonly inUse: RoomInUse;
}

/** Writes a message, once however often it is sent. */
export function Composer({ roomId, parentId, inUse }: ComposerProps): JSX.Element {
  const [text, setText] = useState('');
  const action = useAction(['text']);
  const id = useOwnKey(text);
  const label = parentId === undefined ? W.message : W.reply;
  useEffect(() => () => inUse.setTyping(false), []);
  const send = async (): Promise<undefined> => {
    const body = {
      text,
      client_message_id: id.current,
      ...(parentId !== undefined && { parent_id: parentId }),
    };
    const message = await session.value.client.post('/chat/rooms/{room_id}/messages', {
      params: { path: { room_id: roomId } },
      body,
    });
    id.renew();
    inUse.take(message);
    setText((now) => (now === text ? '' : now));
    return undefined;
  };
  const submit = (): void => void action.run(send);
  return (
    <Form label={label} submit={W.send} action={action} onSubmit={submit}>
      <Field
        label={label}
        hint={W.messageHint}
        error={action.errors['text']}
        render={(attributes) => (
          <textarea
            {...attributes}
            rows={2}
            value={text}
            onInput={({ currentTarget: { value } }) => {
              setText(value);
              inUse.setTyping(value !== '');
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
              event.preventDefault();
              submit();
            }}
          />
        )}
      />
    </Form>
  );
}
