import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { after, usePaged } from '../../live.js';
import { Confirm } from '../../parts/confirm.jsx';
import { Copy } from '../../parts/copy.jsx';
import { IMAGE_TYPES } from '../../parts/form.jsx';
import { type Column, PagedTable } from '../../parts/table.jsx';
import { Moment } from '../../parts/time.jsx';
import { UploadForm } from '../../parts/upload-form.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';

type Image = components['schemas']['BlogImageDto'];

const W = words.deskTexts.images;

function columnsOf(reload: () => void): readonly Column<Image>[] {
  return [
    { title: W.address, cell: ({ url }) => <code>{url}</code> },
    {
      title: W.size,
      isNumber: true,
      isWide: true,
      cell: ({ size_bytes: bytes }) => W.kilobytes({ count: Math.ceil(bytes / 1024) }),
    },
    { title: words.banking.created, isWide: true, cell: ({ created_at: at }) => <Moment at={at} /> },
    {
      title: words.banking.actions,
      cell: ({ image_name: name, url }) => (
        <span class="row">
          <Copy label={words.copy} of={url} text={url} />
          <Confirm
            label={W.delete}
            of={name}
            what={W.deleteWhat}
            work={() =>
              session.value.client.delete('/admin/blog/images/{image_name}', {
                params: { path: { image_name: name } },
              })
            }
            onDone={reload}
          />
        </span>
      ),
    },
  ];
}

/** The images that posts and pages show. */
export function Images(): JSX.Element {
  const pages = usePaged('images', (cursor, signal) =>
    session.value.client.get('/admin/blog/images', { params: { query: after(cursor) }, signal }),
  );
  return (
    <>
      <section class="panel">
        <h2>{words.deskTexts.parts.images}</h2>
        <PagedTable
          label={words.deskTexts.parts.images}
          columns={columnsOf(pages.reload)}
          pages={pages}
          none={W.none}
          keyOf={({ image_name: name }) => name}
        />
      </section>
      <Upload onUploaded={pages.reload} />
    </>
  );
}

function Upload({ onUploaded }: { readonly onUploaded: () => void }): JSX.Element {
  const send = async (file: File): Promise<string> => {
    const form = new FormData();
    form.set('file', file);
    await session.value.client.post('/admin/blog/images', { body: form });
    onUploaded();
    return W.uploaded;
  };
  return (
    <section class="panel">
      <h2>{W.upload}</h2>
      <UploadForm
        label={W.upload}
        submit={W.upload}
        fileLabel={W.file}
        accept={IMAGE_TYPES}
        hint={W.hint}
        send={send}
      />
    </section>
  );
}
