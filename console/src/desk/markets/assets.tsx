import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { after, usePaged } from '../../live.js';
import { Amount } from '../../parts/field.jsx';
import { Form, TextField, useAction } from '../../parts/form.jsx';
import { type Column, PagedTable } from '../../parts/table.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';

type Asset = components['schemas']['AssetListingDto'];

const W = words.deskMarkets;

const COLUMNS: readonly Column<Asset>[] = [
  { title: W.asset, cell: ({ code }) => code },
  { title: W.assetName, cell: ({ name }) => name },
  { title: W.scale, isNumber: true, cell: ({ scale }) => scale },
];

export function Assets(): JSX.Element {
  const pages = usePaged('assets', (cursor, signal) =>
    session.value.client.get('/assets', { params: { query: after(cursor) }, signal }),
  );
  return (
    <>
      <section class="panel">
        <h2>{W.parts.assets}</h2>
        <PagedTable
          label={W.parts.assets}
          columns={COLUMNS}
          pages={pages}
          none={W.noAssets}
          keyOf={({ code }) => code}
        />
      </section>
      <NewAsset onAdded={pages.reload} />
    </>
  );
}

function NewAsset({ onAdded }: { readonly onAdded: () => void }): JSX.Element {
  const [code, setCode] = useState('');
  const [scale, setScale] = useState('');
  const action = useAction(['code', 'scale']);
  const add = async (): Promise<string> => {
    // What is no number is refused by the service beside its field.
    const body = { code, scale: scale === '' ? NaN : Number(scale) };
    await session.value.client.post('/admin/assets', { body });
    setCode('');
    setScale('');
    onAdded();
    return words.desk.done;
  };
  return (
    <section class="panel">
      <h2>{W.addAsset}</h2>
      <Form label={W.addAsset} submit={W.addAsset} action={action} onSubmit={() => void action.run(add)}>
        <TextField label={W.asset} value={code} onChange={setCode} error={action.errors['code']} />
        <Amount
          label={W.scale}
          unit=""
          value={scale}
          onChange={setScale}
          hint={W.assetHint}
          error={action.errors['scale']}
        />
      </Form>
    </section>
  );
}
