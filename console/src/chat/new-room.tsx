import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Choice } from '../parts/field.jsx';
import { Form, TextField, useAction, useOwnKey } from '../parts/form.jsx';
import { navigate } from '../router.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';

type RoomType = components['schemas']['RoomType'];

const W = words.chat;
const EMPTY = { type: 'public' as RoomType, name: '', members: '' };

export function NewRoom({ onMade }: { readonly onMade: () => void }): JSX.Element {
  const [draft, setDraft] = useState(EMPTY);
  const action = useAction(['type', 'name', 'members']);
  const key = useOwnKey(draft);
  const { type, name } = draft;
  const make = async (): Promise<undefined> => {
    const members = draft.members.split(/[\s,]+/).filter(Boolean);
    const { room_id: id } = await session.value.client.post('/chat/rooms', {
      body: { type, ...(type !== 'direct' && { name }), ...(members.length > 0 && { members }) },
      headers: { 'Idempotency-Key': key.current },
    });
    key.renew();
    setDraft(EMPTY);
    onMade();
    navigate(`chat/${id}`);
    return undefined;
  };
  return (
    <section class="panel">
      <h2>{W.make}</h2>
      <Form label={W.make} submit={W.make} action={action} onSubmit={() => void action.run(make)}>
        <Choice
          label={W.kind}
          value={type}
          options={W.kinds}
          onChange={(next) => setDraft({ ...draft, type: next })}
          hint={W.kindHints[type]}
          error={action.errors['type']}
        />
        {type !== 'direct' && (
          <TextField
            label={W.name}
            value={name}
            onChange={(text) => setDraft({ ...draft, name: text })}
            error={action.errors['name']}
          />
        )}
        <TextField
          label={W.with}
          value={draft.members}
          onChange={(members) => setDraft({ ...draft, members })}
          hint={W.withHint}
          error={action.errors['members']}
        />
      </Form>
    </section>
  );
}
