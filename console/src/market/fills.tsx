import type { JSX } from 'preact';
import { grouped } from '../decimal.js';
import { useLoaded } from '../live.js';
import { session } from '../session.js';
import { words } from '../words.js';
import type { AccountView } from './account.js';
import { Time } from './tape.jsx';

interface FillsProps {
  readonly marketId: string;
  readonly account: AccountView;
}

/** The user's last fills in a market; read anew whenever one comes. */
export function Fills({ marketId, account }: FillsProps): JSX.Element {
  const { value: fills, failure } = useLoaded(`${marketId} ${account.fills}`, async (signal) => {
    const { data } = await session.value.client.get('/markets/{market_id}/fills', {
      params: { path: { market_id: marketId }, query: { limit: 20 } },
      signal,
    });
    return data;
  });
  return (
    <section class="fills">
      <h2>{words.fills.title}</h2>
      {failure !== undefined && <p role="alert">{failure}</p>}
      {fills === undefined || fills.length === 0 ? (
        <p class="empty">{fills === undefined ? words.loading : words.fills.none}</p>
      ) : (
        <div class="scroll" tabIndex={0} role="group" aria-label={words.fills.title}>
          <table>
            <thead>
              <tr>
                <th scope="col">{words.orders.side}</th>
                <th scope="col" class="number">
                  {words.orders.price}
                </th>
                <th scope="col" class="number">
                  {words.orders.size}
                </th>
                <th scope="col" class="number">
                  {words.fills.fee}
                </th>
                <th scope="col" class="number">
                  {words.fills.time}
                </th>
              </tr>
            </thead>
            <tbody>
              {fills.map((fill) => (
                <tr key={fill.fill_id} class={fill.side}>
                  <td class="side">{words.side[fill.side]}</td>
                  <td class="number">{grouped(fill.price)}</td>
                  <td class="number">{grouped(fill.size)}</td>
                  <td class="number">
                    {grouped(fill.fee)} {fill.fee_asset}
                  </td>
                  <td class="number">
                    <Time at={fill.executed_at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
