import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { grouped } from '../decimal.js';
import { useLoaded } from '../live.js';
import { useAccount } from '../market/account.js';
import { WhenLoaded } from '../parts/notice.jsx';
import { type Column, Table } from '../parts/table.jsx';
import { Link } from '../router.jsx';
import { session } from '../session.js';
import { useStore } from '../store.js';
import { words } from '../words/index.js';
import { History } from './history.jsx';
import type { PartProps } from './part.js';

type Balance = components['schemas']['BalanceDto'];
type Position = components['schemas']['PositionDto'];

const W = words.portfolio;
const shown = (amount: string | null): string => (amount === null ? '–' : grouped(amount));
const toneOf = (amount: string | null): string =>
  amount === null || amount === '0' ? '' : amount.startsWith('-') ? 'down' : 'up';

const BALANCES: readonly Column<Balance>[] = [
  { title: W.asset, cell: ({ asset }) => <Link to={`portfolio/entries/${asset}`}>{asset}</Link> },
  { title: W.total, isNumber: true, cell: ({ total }) => grouped(total) },
  { title: W.available, isNumber: true, isWide: true, cell: ({ available }) => shown(available) },
  { title: W.held, isNumber: true, cell: ({ held }) => shown(held) },
];

/** Every figure leads to the fills that made it. */
const toFills = ({ market_id: id }: Position, text: string, tone = ''): JSX.Element => (
  <Link to={`portfolio/fills/${encodeURIComponent(id)}`} class={tone}>
    {text}
  </Link>
);

const POSITIONS: readonly Column<Position>[] = [
  {
    title: W.market,
    cell: ({ market_id: id }) => <Link to={`markets/${encodeURIComponent(id)}`}>{id}</Link>,
  },
  { title: W.size, isNumber: true, cell: (position) => toFills(position, grouped(position.size)) },
  { title: W.entry, isNumber: true, isWide: true, cell: (each) => shown(each.average_entry_price) },
  { title: W.mark, isNumber: true, isWide: true, cell: ({ mark_price: mark }) => shown(mark) },
  { title: W.value, isNumber: true, cell: ({ market_value: value }) => shown(value) },
  {
    title: W.unrealized,
    isNumber: true,
    cell: ({ unrealized_pnl: pnl }) => <span class={toneOf(pnl)}>{shown(pnl)}</span>,
  },
  {
    title: W.realized,
    isNumber: true,
    cell: (each) => toFills(each, grouped(each.realized_pnl), toneOf(each.realized_pnl)),
  },
  {
    title: W.fees,
    isNumber: true,
    isWide: true,
    cell: (position) => toFills(position, grouped(position.fees)),
  },
];

export function Overview({ accountId }: PartProps): JSX.Element {
  const { user } = useStore(session);
  const live = useAccount(accountId === 'me' ? (user?.sub ?? null) : null);
  return (
    <>
      <History accountId={accountId} />
      <div class="panels">
        <Balances accountId={accountId} live={live.isKnown ? [...live.balances.values()] : undefined} />
        <Positions accountId={accountId} fills={live.fills} />
      </div>
    </>
  );
}

interface BalancesProps {
  readonly accountId: string;
  /** As the stream has them. */
  readonly live: readonly Balance[] | undefined;
}

function Balances({ accountId, live }: BalancesProps): JSX.Element {
  const loaded = useLoaded(accountId, async (signal) => {
    const params = { path: { account_id: accountId }, query: { limit: 200 } };
    return (await session.value.client.get('/accounts/{account_id}/balances', { params, signal })).data;
  });
  const rows = live ?? loaded.value;
  return (
    <section class="panel">
      <h2>{W.balances}</h2>
      <WhenLoaded of={{ ...loaded, value: rows }}>
        {(balances) =>
          balances.length === 0 ? (
            <p class="empty">{W.noBalances}</p>
          ) : (
            <Table label={W.balances} columns={BALANCES} rows={balances} keyOf={({ asset }) => asset} />
          )
        }
      </WhenLoaded>
    </section>
  );
}

/** Read anew whenever a fill comes. */
function Positions({
  accountId,
  fills,
}: {
  readonly accountId: string;
  readonly fills: number;
}): JSX.Element {
  const loaded = useLoaded(`${accountId} ${fills}`, async (signal) => {
    const params = { path: { account_id: accountId }, query: { limit: 200 } };
    return (await session.value.client.get('/accounts/{account_id}/positions', { params, signal })).data;
  });
  return (
    <section class="panel">
      <h2>{W.positions}</h2>
      <WhenLoaded of={loaded}>
        {(positions) =>
          positions.length === 0 ? (
            <p class="empty">{W.noPositions}</p>
          ) : (
            <Table
              label={W.positions}
              columns={POSITIONS}
              rows={positions}
              keyOf={({ market_id }) => market_id}
            />
          )
        }
      </WhenLoaded>
    </section>
  );
}
