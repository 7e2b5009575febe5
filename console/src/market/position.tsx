import type { JSX } from 'preact';
import { grouped, isZero } from '../decimal.js';
import { useLoaded } from '../live.js';
import type { Market } from './market.js';
import { session } from '../session.js';
import { words } from '../words/index.js';
import type { AccountView } from './account.js';

interface PositionProps {
  readonly market: Market;
  readonly account: AccountView;
}

/** The position in a market, what it has brought, and the balances of its assets. */
export function Position({ market, account }: PositionProps): JSX.Element {
  const { value: position, failure } = useLoaded(`${market.market_id} ${account.fills}`, async (signal) => {
    const positions = session.value.client.list('/accounts/{account_id}/positions', {
      params: { path: { account_id: 'me' }, query: { limit: 200 } },
      signal,
    });
    for await (const each of positions) if (each.market_id === market.market_id) return each;
    return null;
  });
  const { title, none, size, entry, value, realized, unrealized, fees, balances, held } = words.position;
  const money = (amount: string | null): string =>
    amount === null ? '–' : `${grouped(amount)} ${market.quote_asset}`;
  const assets = [market.base_asset, market.quote_asset].filter((asset): asset is string => asset !== null);
  return (
    <section class="position">
      <h2>{title}</h2>
      {failure !== undefined && <p role="alert">{failure}</p>}
      {position == null ? (
        <p class="empty">{position === undefined ? words.loading : none}</p>
      ) : (
        <dl>
          <Row name={size} value={grouped(position.size)} />
          <Row name={entry} value={money(position.average_entry_price)} />
          <Row name={value} value={money(position.market_value)} />
          <Row name={realized} value={money(position.realized_pnl)} />
          <Row name={unrealized} value={money(position.unrealized_pnl)} />
          <Row name={fees} value={money(position.fees)} />
        </dl>
      )}
      <h3>{balances}</h3>
      <dl>
        {assets.map((asset) => {
          const { total = '0', held: inOrders } = account.balances.get(asset) ?? {};
          const isHeld = inOrders != null && !isZero(inOrders);
          return (
            <Row
              key={asset}
              name={asset}
              value={grouped(total) + (isHeld ? ` (${held({ amount: grouped(inOrders) })})` : '')}
            />
          );
        })}
      </dl>
    </section>
  );
}

function Row({ name, value }: { readonly name: string; readonly value: string }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
