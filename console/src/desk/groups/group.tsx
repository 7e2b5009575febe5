import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { grouped } from '../../decimal.js';
import { useLoaded, useLooks } from '../../live.js';
import { Confirm } from '../../parts/confirm.jsx';
import { Facts } from '../../parts/facts.jsx';
import { Choice } from '../../parts/field.jsx';
import { Form, useAction, useOwnKey } from '../../parts/form.jsx';
import { WhenLoaded } from '../../parts/notice.jsx';
import { type Column, Table } from '../../parts/table.jsx';
import { Moment } from '../../parts/time.jsx';
import { Link } from '../../router.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';

type Group = components['schemas']['EventGroupDto'];
type Market = components['schemas']['MarketDto'];
type Preview = components['schemas']['EventGroupSettlementPreviewDto'];

const W = words.eventGroups;

/** A group with its markets, in its own order. */
interface GroupMarkets {
  readonly group: Group;
  readonly markets: readonly Market[];
}

async function load(groupId: string, signal: AbortSignal): Promise<GroupMarkets> {
  const { client } = session.value;
  const group = await client.get('/event-groups/{event_group_id}', {
    params: { path: { event_group_id: groupId } },
    signal,
  });
  const markets = await Promise.all(
    group.market_ids.map((id) =>
      client.get('/markets/{market_id}', { params: { path: { market_id: id } }, signal }),
    ),
  );
  return { group, markets };
}

export function OneGroup({ groupId }: { readonly groupId: string }): JSX.Element {
  const loaded = useLoaded(groupId, (signal) => load(groupId, signal));
  useLooks(loaded.value?.markets.some(({ status }) => status === 'settling') ?? false, loaded);
  return (
    <>
      <Link to="desk/event-groups">{W.back}</Link>
      <WhenLoaded of={loaded}>
        {({ group, markets }) => (
          <>
            <Overview group={group} markets={markets} />
            <section class="panel">
              <h2>{W.settlement}</h2>
              {group.winning_market_id !== null ? (
                <p>{W.settled({ winner: group.winning_market_id })}</p>
              ) : markets.every(({ status }) => status === 'closed') ? (
                <Settle group={group} onDone={loaded.reload} />
              ) : (
                <p class="empty">{W.notYet}</p>
              )}
            </section>
          </>
        )}
      </WhenLoaded>
    </>
  );
}

const MARKETS: readonly Column<Market>[] = [
  {
    title: W.market,
    cell: ({ market_id: id }) => <Link to={`desk/markets/${encodeURIComponent(id)}`}>{id}</Link>,
  },
  { title: W.name, isWide: true, cell: ({ title }) => title },
  { title: W.state, cell: ({ status }) => words.status[status] },
  { title: W.last, isNumber: true, cell: ({ ticker }) => grouped(ticker.last_price ?? '–') },
  {
    title: W.interest,
    isNumber: true,
    isWide: true,
    cell: ({ ticker }) => grouped(ticker.open_interest ?? '–'),
  },
];

function Overview({ group, markets }: GroupMarkets): JSX.Element {
  return (
    <section class="panel">
      <h2>{group.event_group_id}</h2>
      <Facts
        of={[
          [W.name, group.title],
          [W.created, <Moment at={group.created_at} />],
        ]}
      />
      <Table label={W.markets} columns={MARKETS} rows={markets} keyOf={({ market_id: id }) => id} />
    </section>
  );
}

interface SettleProps {
  readonly group: Group;
  readonly onDone: () => void;
}

/** Nothing is settled before it was previewed with the same winner. */
function Settle({ group, onDone }: SettleProps): JSX.Element {
  const [winner, setWinner] = useState('');
  const [preview, setPreview] = useState<Preview | null>(null);
  const [message, setMessage] = useState('');
  const action = useAction(['winning_market_id']);
  const key = useOwnKey([group.event_group_id, winner]);
  const { client } = session.value;
  const params = { path: { event_group_id: group.event_group_id } };
  const look = async (): Promise<undefined> => {
    setPreview(null);
    const body = { winning_market_id: winner };
    setPreview(await client.post('/admin/event-groups/{event_group_id}/settle/preview', { params, body }));
  };
  const settle = async (winningMarketId: string): Promise<void> => {
    const settled = await client.post('/admin/event-groups/{event_group_id}/settle', {
      params,
      body: { winning_market_id: winningMarketId },
      headers: { 'Idempotency-Key': key.current },
    });
    key.renew();
    setMessage(settled.winning_market_id === null ? W.proposed : '');
  };
  return (
    <>
      <Form label={W.settle} submit={W.preview} action={action} onSubmit={() => void action.run(look)}>
        <Choice
          label={W.wins}
          value={winner}
          options={{ '': W.choose, ...Object.fromEntries(group.market_ids.map((id) => [id, id])) }}
          onChange={(id) => {
            setWinner(id);
            setPreview(null);
          }}
          error={action.errors['winning_market_id']}
        />
      </Form>
      {preview !== null && (
        <>
          <Facts
            of={[
              [
                W.toLongs({ market: preview.winning_market_id }),
                `${grouped(preview.to_longs)} ${preview.asset}`,
              ],
              [W.toShorts, `${grouped(preview.to_shorts)} ${preview.asset}`],
            ]}
          />
          <div>
            <Confirm
              label={W.settle}
              of={group.event_group_id}
              what={W.settleWhat({ winner: preview.winning_market_id })}
              work={() => settle(preview.winning_market_id)}
              onDone={() => {
                setPreview(null);
                onDone();
              }}
            />
          </div>
        </>
      )}
      <p class="outcome" role="status">
        {message}
      </p>
    </>
  );
}
