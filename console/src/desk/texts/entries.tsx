import type { JSX } from 'preact';
import { usePaged } from '../../live.js';
import { Confirm } from '../../parts/confirm.jsx';
import { Badge, type Tone } from '../../parts/notice.jsx';
import { type Column, PagedTable } from '../../parts/table.jsx';
import { Moment } from '../../parts/time.jsx';
import { Link } from '../../router.jsx';
import { words } from '../../words/index.js';
import { callsOf, type EntrySummary, idOf, type Kind } from './calls.js';

const W = words.deskTexts;
const TONES: Readonly<Record<EntrySummary['status'], Tone>> = {
  draft: 'plain',
  scheduled: 'waits',
  published: 'good',
};

function columnsOf(kind: Kind, reload: () => void): readonly Column<EntrySummary>[] {
  return [
    {
      title: W.heading,
      cell: (entry) => <Link to={`desk/texts/${kind}/${idOf(entry)}`}>{entry.title}</Link>,
    },
    { title: W.slug, isWide: true, cell: ({ slug }) => <code>{slug}</code> },
    { title: W.status, cell: ({ status }) => <Badge tone={TONES[status]} text={W.statuses[status]} /> },
    { title: W.publishedAt, isWide: true, cell: ({ published_at: at }) => <Moment at={at} /> },
    {
      title: words.banking.actions,
      cell: (entry) => (
        <Confirm
          label={W.delete}
          of={entry.title}
          what={W.deleteWhat}
          work={() => callsOf(kind).remove(idOf(entry))}
          onDone={reload}
        />
      ),
    },
  ];
}

/** All posts or all pages, in any state. */
export function Entries({ kind }: { readonly kind: Kind }): JSX.Element {
  const pages = usePaged(kind, (cursor, signal) => callsOf(kind).list(cursor, signal));
  return (
    <section class="panel">
      <div class="row">
        <h2>{W.parts[kind]}</h2>
        <Link to={`desk/texts/${kind}/new`}>{W.write[kind]}</Link>
      </div>
      <PagedTable
        label={W.parts[kind]}
        columns={columnsOf(kind, pages.reload)}
        pages={pages}
        none={W.none[kind]}
        keyOf={idOf}
      />
    </section>
  );
}
