import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { after, useLooks, usePaged } from '../live.js';
import { Confirm } from '../parts/confirm.jsx';
import { Form, useAction } from '../parts/form.jsx';
import { Badge } from '../parts/notice.jsx';
import { type Column, PagedTable } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { logOut, session } from '../session.js';
import { words } from '../words/index.js';

type Export = components['schemas']['ExportDto'];

const W = words.settings.ownData;

const COLUMNS: readonly Column<Export>[] = [
  { title: W.asked, cell: ({ created_at: at }) => <Moment at={at} /> },
  {
    title: W.status,
    cell: ({ status, progress }) => (
      <>
        <Badge tone={status === 'ready' ? 'good' : 'plain'} text={W.statuses[status]} />
        {status === 'running' && W.progress({ done: progress.sections_done, total: progress.sections_total })}
      </>
    ),
  },
  { title: W.until, isWide: true, cell: ({ expires_at: at }) => at !== null && <Moment at={at} /> },
  {
    title: W.file,
    cell: ({ download_url: url }) =>
      url !== null && (
        <a href={url} download>
          {W.download}
        </a>
      ),
  },
];

export function OwnData(): JSX.Element {
  return (
    <>
      <Exports />
      <Leave />
    </>
  );
}

function Exports(): JSX.Element {
  const { client } = session.value;
  const action = useAction();
  const pages = usePaged('exports', (cursor, signal) =>
    client.get('/user/exports', { params: { query: after(cursor) }, signal }),
  );
  const isUnderWay = pages.rows?.some(({ status }) => status === 'pending' || status === 'running') ?? false;
  useLooks(isUnderWay, pages);
  const ask = async (): Promise<void> => {
    const isDone = await action.run(async () => {
      await client.post('/user/exports');
      return W.begun;
    });
    if (isDone) pages.reload();
  };
  return (
    <section class="panel">
      <h2>{W.title}</h2>
      <p>{W.what}</p>
      <PagedTable
        label={W.title}
        columns={COLUMNS}
        pages={pages}
        none={W.none}
        keyOf={({ export_id: id }) => id}
      />
      <Form label={W.ask} submit={W.ask} action={action} onSubmit={() => void ask()}>
        {null}
      </Form>
    </section>
  );
}

function Leave(): JSX.Element {
  const { client, user } = session.value;
  const username = user?.username ?? '';
  return (
    <section class="panel">
      <h2>{W.leave}</h2>
      <p>{W.leaveWhat}</p>
      <div class="row">
        <Confirm
          label={W.leave}
          what={W.leaveSure({ name: username })}
          work={() => client.delete('/user/{username}', { params: { path: { username } } })}
          onDone={() => void logOut()}
        />
      </div>
    </section>
  );
}
