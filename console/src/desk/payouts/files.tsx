import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { grouped } from '../../decimal.js';
import { after, usePaged } from '../../live.js';
import { Confirm } from '../../parts/confirm.jsx';
import { Download } from '../../parts/download.jsx';
import { Form, TextField, useAction } from '../../parts/form.jsx';
import { type Column, PagedTable } from '../../parts/table.jsx';
import { Moment } from '../../parts/time.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';

type PayoutFile = components['schemas']['PayoutFileDto'];

const W = words.deskPayouts;

function columnsOf(reload: () => void): readonly Column<PayoutFile>[] {
  return [
    { title: W.name, cell: ({ name }) => <code>{name}</code> },
    { title: words.banking.created, isWide: true, cell: ({ created_at: at }) => <Moment at={at} /> },
    { title: W.payments, isNumber: true, isWide: true, cell: ({ payments }) => payments },
    {
      title: W.total,
      isNumber: true,
      cell: ({ total, currency }) => `${grouped(total)} ${currency}`,
    },
    { title: W.settlesOn, isWide: true, cell: ({ settles_on: day }) => day },
    { title: W.delivered, cell: ({ delivered_at: at }) => <Moment at={at} /> },
    { title: words.banking.actions, cell: (file) => <Acts file={file} onDone={reload} /> },
  ];
}

function Acts({ file, onDone }: { readonly file: PayoutFile; readonly onDone: () => void }): JSX.Element {
  const { client } = session.value;
  const params = { path: { file_id: file.file_id } };
  return (
    <span class="row">
      <Download
        label={W.fetch}
        fileName={file.name}
        open={() => client.response('/admin/payout-files/{file_id}/content', { params })}
      />
      {file.delivered_at === null && (
        <Confirm
          label={W.markDelivered}
          of={file.name}
          what={W.markDeliveredWhat}
          isDangerous={false}
          work={() => client.post('/admin/payout-files/{file_id}/delivered', { params })}
          onDone={onDone}
        />
      )}
    </span>
  );
}

export function Files(): JSX.Element {
  const pages = usePaged('payout-files', (cursor, signal) =>
    session.value.client.get('/admin/payout-files', { params: { query: after(cursor) }, signal }),
  );
  return (
    <>
      <section class="panel">
        <h2>{W.files}</h2>
        <PagedTable
          label={W.files}
          columns={columnsOf(pages.reload)}
          pages={pages}
          none={W.noFiles}
          keyOf={({ file_id: id }) => id}
        />
      </section>
      <MakeFiles onMade={pages.reload} />
    </>
  );
}

function MakeFiles({ onMade }: { readonly onMade: () => void }): JSX.Element {
  const [rail, setRail] = useState('sepa');
  const action = useAction(['rail']);
  const make = async (): Promise<string> => {
    const { data } = await session.value.client.post('/admin/payout-files', { body: { rail } });
    onMade();
    return data.length === 0 ? W.madeNone : W.made({ count: data.length });
  };
  return (
    <section class="panel">
      <h2>{W.make}</h2>
      <Form label={W.make} submit={W.make} action={action} onSubmit={() => void action.run(make)}>
        <TextField
          label={W.rail}
          value={rail}
          onChange={(text) => setRail(text.trim())}
          hint={W.makeHint}
          error={action.errors['rail']}
        />
      </Form>
    </section>
  );
}
