import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { after, useLoaded, usePaged } from '../live.js';
import { Facts } from '../parts/facts.jsx';
import { TextField } from '../parts/form.jsx';
import { Failure, WhenLoaded } from '../parts/notice.jsx';
import { RichText } from '../parts/rich-text.jsx';
import { Moment } from '../parts/time.jsx';
import { Link, type PageProps } from '../router.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';

type Item = components['schemas']['NewsItemDto'];

const W = words.news;

export function News({ rest: [newsId] }: PageProps): JSX.Element {
  return newsId === undefined ? <AllNews /> : <OneItem key={newsId} newsId={newsId} />;
}

const ANY = { q: '', symbol: '', category: '' };

function AllNews(): JSX.Element {
  const [draft, setDraft] = useState(ANY);
  const [asked, setAsked] = useState(ANY);
  const filters = Object.fromEntries(Object.entries(asked).filter(([, text]) => text !== ''));
  const { rows, failure, more, isBusy, reload } = usePaged(JSON.stringify(asked), (cursor, signal) =>
    session.value.client.get('/news', {
      params: { query: { ...filters, limit: 20, ...after(cursor) } },
      signal,
    }),
  );
  const field = (name: keyof typeof ANY, label: string): JSX.Element => (
    <TextField
      label={label}
      type={name === 'q' ? 'search' : 'text'}
      value={draft[name]}
      onChange={(text) => setDraft({ ...draft, [name]: name === 'q' ? text : text.trim() })}
    />
  );
  return (
    <>
      <form
        class="filters"
        role="search"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setAsked({ ...draft, q: draft.q.trim() });
        }}
      >
        {field('q', W.search)}
        {field('symbol', W.symbol)}
        {field('category', W.category)}
        <button type="submit">{W.find}</button>
      </form>
      <section aria-label={W.list}>
        {failure !== undefined && <Failure text={failure} onRetry={reload} />}
        {failure === undefined && (rows === undefined || rows.length === 0) && (
          <p class="empty" role="status">
            {rows === undefined ? words.loading : W.none}
          </p>
        )}
        {rows?.map((item) => (
          <Teaser key={item.news_id} item={item} />
        ))}
        {more !== undefined && (
          <button type="button" class="more" disabled={isBusy} onClick={more}>
            {words.more}
          </button>
        )}
      </section>
    </>
  );
}

function Teaser({ item }: { readonly item: Item }): JSX.Element {
  const { news_id: id, headline, summary, source, published_at: at, language } = item;
  return (
    <article class="teaser" lang={language ?? undefined}>
      <h2>
        <Link to={`news/${id}`}>{headline}</Link>
      </h2>
      <p class="hint">
        {source} · <Moment at={at} />
      </p>
      {summary !== '' && <p>{summary}</p>}
      <Markets symbols={item.symbols} />
    </article>
  );
}

function Markets({ symbols }: { readonly symbols: readonly string[] }): JSX.Element | null {
  if (symbols.length === 0) return null;
  return (
    <p class="row">
      {symbols.map((symbol) => (
        <Link key={symbol} to={`markets/${symbol}`}>
          {symbol}
        </Link>
      ))}
    </p>
  );
}

function OneItem({ newsId }: { readonly newsId: string }): JSX.Element {
  const item = useLoaded(newsId, (signal) =>
    session.value.client.get('/news/{news_id}', { params: { path: { news_id: newsId } }, signal }),
  );
  return (
    <>
      <Link to="news">{W.all}</Link>
      <WhenLoaded of={item}>{(value) => <Article item={value} />}</WhenLoaded>
    </>
  );
}

function Article({ item }: { readonly item: Item }): JSX.Element {
  return (
    <article lang={item.language ?? undefined}>
      <h2>{item.headline}</h2>
      <Facts
        of={[
          [W.source, item.source],
          [W.author, item.author],
          [W.published, <Moment at={item.published_at} />],
          [W.category, item.category],
          [W.about, item.symbols.length > 0 ? <Markets symbols={item.symbols} /> : null],
        ]}
      />
      {item.content === '' ? <p>{item.summary}</p> : <RichText html={item.content} />}
      {item.url !== null && (
        <p>
          <a href={item.url} rel="noreferrer" target="_blank">
            {W.whole}
          </a>
        </p>
      )}
    </article>
  );
}
