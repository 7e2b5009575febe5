import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { after, usePaged } from '../live.js';
import { TextField } from '../parts/form.jsx';
import { PagedTable } from '../parts/table.jsx';
import { Time } from '../parts/time.jsx';
import { Link } from '../router.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { beginningOf } from './beginning.js';

const W = words.chat;

export function Search(): JSX.Element {
  const [draft, setDraft] = useState('');
  const [asked, setAsked] = useState<string | null>(null);
  const pages = usePaged(asked, (cursor, signal) =>
    session.value.client.get('/chat/messages', {
      params: { query: { q: asked!, limit: 20, ...after(cursor) } },
      signal,
    }),
  );
  return (
    <section class="panel">
      <form
        class="form"
        role="search"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setAsked(draft.trim() || null);
        }}
      >
        <TextField label={W.search} type="search" value={draft} onChange={setDraft} hint={W.searchHint} />
        <div class="row">
          <button type="submit">{W.find}</button>
        </div>
      </form>
      {asked !== null && (
        <PagedTable
          label={W.found}
          columns={[
            {
              title: W.found,
              cell: ({ room_id: room, message_id: id, parent_id: parent, author, text }) => (
                <Link to={`chat/${room}/${parent ?? id}`}>{W.of({ author, text: beginningOf(text) })}</Link>
              ),
            },
            { title: W.time, cell: ({ created_at: at }) => <Time at={at} /> },
          ]}
          pages={pages}
          none={W.noneFound}
          keyOf={({ message_id: id }) => id}
        />
      )}
    </section>
  );
}
