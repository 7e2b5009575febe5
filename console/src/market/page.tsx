import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { fixed, grouped, scaleOf } from '../decimal.js';
import { useLoaded } from '../live.js';
import { Book, useBook } from './book.jsx';
import { Chart } from './chart.jsx';
import { Depth } from './depth.jsx';
import { Fills } from './fills.jsx';
import type { Market } from './market.js';
import { OpenOrders } from './open-orders.jsx';
import { Position } from './position.jsx';
import { Sets } from './sets.jsx';
import { Tape, useTrades } from './tape.jsx';
import { Ticket } from './ticket.jsx';
import { type Order, useAccount } from './account.js';
import { Link } from '../router.jsx';
import { session } from '../session.js';
import { useStore } from '../store.js';
import { words } from '../words/index.js';
import './market.css';

export function MarketPage({ marketId }: { readonly marketId: string }): JSX.Element {
  const { client } = useStore(session);
  const {
    value: market,
    failure,
    reload,
  } = useLoaded(marketId, (signal) =>
    client.get('/markets/{market_id}', { params: { path: { market_id: marketId } }, signal }),
  );
  if (failure !== undefined) {
    return (
      <p class="notice" role="alert">
        {failure} <Link to="">{words.market.all}</Link>{' '}
        <button type="button" onClick={reload}>
          {words.retry}
        </button>
      </p>
    );
  }
  return market === undefined ? <p role="status">{words.loading}</p> : <OpenMarket market={market} />;
}

function OpenMarket({ market }: { readonly market: Market }): JSX.Element {
  const { user } = useStore(session);
  const book = useBook(market.market_id);
  const trades = useTrades(market.market_id);
  const account = useAccount(user === null ? null : user.sub);
  const [takenPrice, setTakenPrice] = useState<{ readonly price: string } | null>(null);
  const [toReplace, setToReplace] = useState<{ readonly order: Order } | null>(null);
  const ownPrices = new Set(
    [...account.orders.values()]
      .filter((order) => order.market_id === market.market_id && order.price !== null)
      .map(({ side, price }) => `${side} ${price}`),
  );
  const digits = scaleOf(market.tick_size);
  return (
    <>
      <p class="subtitle">
        {market.title}
        {market.status !== 'open' && <strong> {words.status[market.status]}</strong>}
      </p>
      <Summary market={market} last={trades.list[0]?.price ?? market.ticker.last_price} digits={digits} />
      <div class="market">
        <Chart marketId={market.market_id} trades={trades} digits={digits} />
        <Depth book={book} />
        <Book
          book={book}
          digits={digits}
          ownPrices={ownPrices}
          onPrice={(price) => setTakenPrice({ price })}
        />
        <Ticket market={market} book={book} account={account} takenPrice={takenPrice} toReplace={toReplace} />
        <Tape trades={trades} digits={digits} />
        {user !== null && (
          <div class="own">
            <OpenOrders
              marketId={market.market_id}
              account={account}
              onReplace={(order) => setToReplace({ order })}
            />
            <Position market={market} account={account} />
            {market.event_group_id !== null && <Sets market={market} groupId={market.event_group_id} />}
            <Fills marketId={market.market_id} account={account} />
          </div>
        )}
      </div>
    </>
  );
}

interface SummaryProps {
  readonly market: Market;
  readonly last: string | null;
  readonly digits: number;
}

function Summary({ market: { ticker, base_asset }, last, digits }: SummaryProps): JSX.Element {
  const price = (text: string | null): string => (text === null ? '–' : grouped(fixed(text, digits)));
  return (
    <dl class="summary">
      <div class="last">
        <dt>{words.market.last}</dt>
        <dd>{price(last)}</dd>
      </div>
      <div>
        <dt>{words.market.high}</dt>
        <dd>{price(ticker.high_24h)}</dd>
      </div>
      <div>
        <dt>{words.market.low}</dt>
        <dd>{price(ticker.low_24h)}</dd>
      </div>
      <div>
        <dt>{words.market.volume}</dt>
        <dd>
          {grouped(ticker.volume_24h)} {base_asset}
        </dd>
      </div>
      {ticker.open_interest !== null && (
        <div>
          <dt>{words.market.openInterest}</dt>
          <dd>{grouped(ticker.open_interest)}</dd>
        </div>
      )}
    </dl>
  );
}
