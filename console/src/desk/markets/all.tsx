import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { grouped } from '../../decimal.js';
import { after, usePaged } from '../../live.js';
import { Choice } from '../../parts/field.jsx';
import { TextField } from '../../parts/form.jsx';
import { type Column, PagedTable } from '../../parts/table.jsx';
import { Link } from '../../router.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';

type Market = components['schemas']['MarketDto'];
type Status = Market['status'];

const W = words.deskMarkets;

const COLUMNS: readonly Column<Market>[] = [
  {
    title: W.market,
    cell: ({ market_id: id }) => <Link to={`desk/markets/${encodeURIComponent(id)}`}>{id}</Link>,
  },
  { title: W.name, isWide: true, cell: ({ title }) => title },
  { title: W.status, cell: ({ status }) => words.status[status] },
  { title: W.last, isNumber: true, cell: ({ ticker }) => grouped(ticker.last_price ?? '–') },
  { title: W.volume, isNumber: true, isWide: true, cell: ({ ticker }) => grouped(ticker.volume_24h) },
];

export function AllMarkets(): JSX.Element {
  const [q, setQ] = useState('');
  const [status, setStatus] = useState<Status | 'any'>('any');
  const pages = usePaged(`${status} ${q}`, (cursor, signal) =>
    session.value.client.get('/markets', {
      params: {
        query: { ...(q !== '' && { q }), ...(status !== 'any' && { status }), ...after(cursor) },
      },
      signal,
    }),
  );
  return (
    <section class="panel">
      <div class="filters">
        <h2>{W.parts.all}</h2>
        <TextField label={W.search} type="search" value={q} onChange={setQ} />
        <Choice
          label={W.status}
          value={status}
          options={{ any: words.desk.all, ...words.status }}
          onChange={setStatus}
        />
      </div>
      <PagedTable
        label={W.parts.all}
        columns={COLUMNS}
        pages={pages}
        none={W.none}
        keyOf={({ market_id: id }) => id}
      />
    </section>
  );
}
