import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLoaded } from '../live.js';
import { Amount } from '../parts/field.jsx';
import { Outcome, useAction, useOwnKey } from '../parts/form.jsx';
import { WhenLoaded } from '../parts/notice.jsx';
import { Link } from '../router.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import type { Market } from './market.js';

const W = words.eventGroups;

interface SetsProps {
  readonly market: Market;
  readonly groupId: string;
}

/** The other markets of the group, and sets of all of them for money and back. */
export function Sets({ market, groupId }: SetsProps): JSX.Element {
  const loaded = useLoaded(groupId, (signal) =>
    session.value.client.get('/event-groups/{event_group_id}', {
      params: { path: { event_group_id: groupId } },
      signal,
    }),
  );
  return (
    <section class="sets">
      <h2>{W.sets}</h2>
      <WhenLoaded of={loaded}>
        {(group) => (
          <>
            <p>{group.title}</p>
            <ul aria-label={W.others}>
              {group.market_ids.map((id) => (
                <li key={id}>
                  {id === market.market_id ? id : <Link to={`markets/${encodeURIComponent(id)}`}>{id}</Link>}
                </li>
              ))}
            </ul>
          </>
        )}
      </WhenLoaded>
      {market.status === 'open' && <TradeSets market={market} groupId={groupId} />}
    </section>
  );
}

function TradeSets({ market, groupId }: SetsProps): JSX.Element {
  const [size, setSize] = useState('');
  const action = useAction(['size']);
  const key = useOwnKey([groupId, size]);
  const trade = (act: 'split' | 'merge'): void =>
    void action.run(async () => {
      const { client } = session.value;
      const call = {
        params: { path: { event_group_id: groupId } },
        body: { size },
        headers: { 'Idempotency-Key': `${key.current}-${act}` },
      };
      const traded =
        act === 'split'
          ? await client.post('/event-groups/{event_group_id}/split', call)
          : await client.post('/event-groups/{event_group_id}/merge', call);
      key.renew();
      setSize('');
      return act === 'split' ? W.didSplit({ size: traded.size }) : W.didMerge({ size: traded.size });
    });
  return (
    <form
      class="form"
      aria-label={W.sets}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        trade('split');
      }}
    >
      <Amount
        label={W.size}
        value={size}
        unit=""
        hint={W.setsHint({ asset: market.quote_asset })}
        error={action.errors['size']}
        onChange={setSize}
      />
      <div class="filters">
        <button type="submit" disabled={action.isBusy}>
          {W.split}
        </button>
        <button type="button" disabled={action.isBusy} onClick={() => trade('merge')}>
          {W.merge}
        </button>
      </div>
      <Outcome of={action} />
    </form>
  );
}
