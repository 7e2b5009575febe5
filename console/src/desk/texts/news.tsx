import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { after, usePaged } from '../../live.js';
import { Confirm } from '../../parts/confirm.jsx';
import { Outcome, useAction } from '../../parts/form.jsx';
import { Badge, type Tone } from '../../parts/notice.jsx';
import { type Column, PagedTable } from '../../parts/table.jsx';
import { Moment } from '../../parts/time.jsx';
import { Link } from '../../router.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';

type Schemas = components['schemas'];
type Item = Schemas['NewsItemDto'];
type Feed = Schemas['NewsFeedDto'];

const W = words.deskTexts;

function columnsOf(reload: () => void): readonly Column<Item>[] {
  return [
    {
      title: W.news.headline,
      cell: ({ news_id: id, headline }) => <Link to={`desk/texts/news/${id}`}>{headline}</Link>,
    },
    { title: W.news.source, isWide: true, cell: ({ source }) => source },
    { title: W.news.published, isWide: true, cell: ({ published_at: at }) => <Moment at={at} /> },
    {
      title: words.banking.actions,
      cell: ({ news_id: id, headline }) => (
        <Confirm
          label={W.delete}
          of={headline}
          what={W.news.deleteWhat}
          work={() =>
            session.value.client.delete('/admin/news/{news_id}', { params: { path: { news_id: id } } })
          }
          onDone={reload}
        />
      ),
    },
  ];
}

/** All news, and the feeds that bring it. */
export function NewsDesk(): JSX.Element {
  const pages = usePaged('news', (cursor, signal) =>
    session.value.client.get('/news', { params: { query: { limit: 20, ...after(cursor) } }, signal }),
  );
  return (
    <>
      <section class="panel">
        <div class="row">
          <h2>{W.parts.news}</h2>
          <Link to="desk/texts/news/new">{W.news.write}</Link>
        </div>
        <PagedTable
          label={W.parts.news}
          columns={columnsOf(pages.reload)}
          pages={pages}
          none={W.news.none}
          keyOf={({ news_id: id }) => id}
        />
      </section>
      <Feeds />
    </>
  );
}

const TONES: Readonly<Record<Feed['status'], Tone>> = {
  waiting: 'waits',
  ok: 'good',
  failing: 'bad',
  gone: 'bad',
};

function Feeds(): JSX.Element {
  const pages = usePaged('feeds', (cursor, signal) =>
    session.value.client.get('/admin/news/feeds', { params: { query: after(cursor) }, signal }),
  );
  const action = useAction();
  const poll = async (feedId: string): Promise<undefined> => {
    await session.value.client.post('/admin/news/feeds/{feed_id}/poll', {
      params: { path: { feed_id: feedId } },
    });
    pages.reload();
    return undefined;
  };
  const columns: readonly Column<Feed>[] = [
    { title: W.feeds.feed, cell: ({ title, url }) => title ?? url },
    {
      title: W.status,
      cell: ({ status }) => <Badge tone={TONES[status]} text={W.feeds.statuses[status]} />,
    },
    { title: W.feeds.problem, isWide: true, cell: ({ problem }) => problem ?? '' },
    { title: W.feeds.succeeded, isWide: true, cell: ({ succeeded_at: at }) => <Moment at={at} /> },
    { title: W.feeds.next, isWide: true, cell: ({ next_poll_at: at }) => <Moment at={at} /> },
    {
      title: words.banking.actions,
      cell: ({ feed_id: id, url }) => (
        <button
          type="button"
          aria-label={`${W.feeds.poll}: ${url}`}
          disabled={action.isBusy}
          onClick={() => void action.run(() => poll(id))}
        >
          {W.feeds.poll}
        </button>
      ),
    },
  ];
  return (
    <section class="panel">
      <h2>{W.feeds.title}</h2>
      <PagedTable
        label={W.feeds.title}
        columns={columns}
        pages={pages}
        none={W.feeds.none}
        keyOf={({ feed_id: id }) => id}
      />
      <Outcome of={action} />
    </section>
  );
}
