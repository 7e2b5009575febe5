import type { Ticker } from '@tradepost/client';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { fixed, forDrawing, grouped, multiply, percentChange, scaleOf } from '../decimal.js';
import { useStream } from '../live.js';
import type { Market } from '../market/market.js';
import { Choice, Field } from '../parts/field.jsx';
import { Sparkline } from '../parts/sparkline.jsx';
import { Link } from '../router.jsx';
import { session } from '../session.js';
import { useStore } from '../store.js';
import { words } from '../words/index.js';
import { type Day, useDays } from './days.js';
import { useMarkets } from './loading.js';

type Kind = keyof typeof words.markets.kinds;

const ROW_HEIGHT = 56;
/** Rows above and below what is seen, so that a quick scroll shows no gap. */
const ROWS_BEYOND = 6;
/** As many as one socket follows. */
const TICKERS_MAX = 200;

export function MarketList(): JSX.Element {
  const [query, setQuery] = useState('');
  const [kind, setKind] = useState<Kind>('all');
  const { markets, failure, reload } = useMarkets();
  if (failure !== undefined) {
    return (
      <p class="notice" role="alert">
        {failure}{' '}
        <button type="button" onClick={reload}>
          {words.retry}
        </button>
      </p>
    );
  }
  const shown = markets?.filter((market) => isLike(market, query, kind));
  return (
    <>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <Field
          label={words.markets.search}
          render={(attributes) => (
            <input
              {...attributes}
              type="search"
              value={query}
              onInput={(event) => setQuery(event.currentTarget.value)}
            />
          )}
        />
        <Choice label={words.markets.kind} value={kind} options={words.markets.kinds} onChange={setKind} />
        <p role="status">
          {shown === undefined ? words.loading : words.markets.count({ count: shown.length })}
        </p>
      </form>
      {shown !== undefined &&
        (shown.length === 0 ? <p>{words.markets.none}</p> : <MarketTable markets={shown} />)}
    </>
  );
}

/** Only the rows in sight are in the page, so that ten thousand scroll as smoothly as ten. */
function MarketTable({ markets }: { readonly markets: readonly Market[] }): JSX.Element {
  const { client } = useStore(session);
  const [from, to, body] = useRowsInSight(markets.length);
  const seen = markets.slice(from, to);
  const tickers = useRef(new Map<string, Ticker>()).current;
  const followed = useSettled(seen.slice(0, TICKERS_MAX).map((market) => market.market_id));
  useStream(
    'tickers',
    followed.join(' '),
    (following) => client.tickers(followed, following),
    ({ marketId, ticker }) => {
      tickers.set(marketId, ticker);
      return undefined;
    },
  );
  const days = useDays(followed);
  return (
    <table class="markets" aria-rowcount={markets.length + 1}>
      <thead>
        <tr>
          <th scope="col">{words.markets.name}</th>
          <th scope="col" class="number">
            {words.markets.price}
          </th>
          <th scope="col" class="number">
            {words.markets.change}
          </th>
          <th scope="col" class="number wide">
            {words.markets.volume}
          </th>
          <th scope="col" class="wide">
            {words.markets.trend}
          </th>
        </tr>
      </thead>
      <tbody ref={body}>
        <Spacer rows={from} />
        {seen.map((market, at) => (
          <MarketRow
            key={market.market_id}
            row={from + at + 2}
            market={market}
            ticker={tickers.get(market.market_id) ?? market.ticker}
            day={days.get(market.market_id)}
          />
        ))}
        <Spacer rows={markets.length - to} />
      </tbody>
    </table>
  );
}

interface MarketRowProps {
  readonly row: number;
  readonly market: Market;
  readonly ticker: Ticker;
  readonly day: Day | undefined;
}

function MarketRow({ row, market, ticker, day }: MarketRowProps): JSX.Element {
  const { market_id: id, title, kind, status, tick_size, base_asset } = market;
  const price = ticker.last_price;
  const change = price !== null && day?.open != null ? percentChange(day.open, price) : null;
  return (
    <tr aria-rowindex={row}>
      <th scope="row">
        <Link to={`markets/${encodeURIComponent(id)}`}>{id}</Link>
        <span class="title">
          {title}
          {status !== 'open' && ` (${words.status[status]})`}
        </span>
      </th>
      <td class="number">{price === null ? '–' : <Price price={price} tick={tick_size} kind={kind} />}</td>
      <td class={`number ${change?.startsWith('-') === true ? 'down' : 'up'}`}>
        {change === null ? '–' : `${change} %`}
      </td>
      <td class="number wide">
        {grouped(ticker.volume_24h)} <span class="unit">{base_asset}</span>
      </td>
      <td class="wide">
        <Sparkline values={day?.closes.map(forDrawing) ?? []} label={words.markets.trend} />
      </td>
    </tr>
  );
}

/** Contracts of an event pay one at most, so that their price is a probability. */
function Price({ price, tick, kind }: { price: string; tick: string; kind: Market['kind'] }): JSX.Element {
  if (kind !== 'event') return <>{grouped(fixed(price, scaleOf(tick)))}</>;
  return (
    <>
      {fixed(multiply(price, '100'), 0)} %<span class="hidden"> {words.markets.probability}</span>
    </>
  );
}

function Spacer({ rows }: { readonly rows: number }): JSX.Element | null {
  if (rows === 0) return null;
  return (
    <tr aria-hidden="true" class="spacer">
      <td colSpan={5} style={{ height: `${rows * ROW_HEIGHT}px` }} />
    </tr>
  );
}

/** Which rows of a body are in sight, with some beyond. */
function useRowsInSight(count: number): [number, number, { current: HTMLTableSectionElement | null }] {
  const body = useRef<HTMLTableSectionElement | null>(null);
  const [[first, last], setRange] = useState<readonly [number, number]>([0, 40]);
  useEffect(() => {
    let frame = 0;
    const look = (): void => {
      frame = 0;
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const start = Math.max(0, Math.floor(-top / ROW_HEIGHT) - ROWS_BEYOND);
      const end = Math.ceil((innerHeight - top) / ROW_HEIGHT) + ROWS_BEYOND;
      setRange((range) => (range[0] === start && range[1] === end ? range : [start, end]));
    };
    const soon = (): void => {
      frame ||= requestAnimationFrame(look);
    };
    look();
    addEventListener('scroll', soon, { passive: true });
    addEventListener('resize', soon);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('scroll', soon);
      removeEventListener('resize', soon);
    };
  }, []);
  return [Math.min(first, Math.max(0, count - 1)), Math.min(last, count), body];
}

const SETTLED_MS = 300;

/** A list that changes once it has stopped changing, so that a scroll subscribes to nothing on its way. */
function useSettled(ids: readonly string[]): readonly string[] {
  const [settled, setSettled] = useState(ids);
  const key = ids.join(' ');
  useEffect(() => {
    const timer = setTimeout(() => setSettled(ids), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [key]);
  return settled;
}

function isLike({ market_id: id, title, category, kind: own }: Market, query: string, kind: Kind): boolean {
  if (kind !== 'all' && own !== kind) return false;
  const text = `${id} ${title} ${category}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
