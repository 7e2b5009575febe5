import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { after, usePaged } from '../../live.js';
import { type Column, PagedTable } from '../../parts/table.jsx';
import { Moment } from '../../parts/time.jsx';
import { Link } from '../../router.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';

type Schedule = components['schemas']['FeeScheduleDto'];

const W = words.deskFees;

const COLUMNS: readonly Column<Schedule>[] = [
  { title: W.name, cell: ({ name }) => <Link to={`desk/fees/${name}`}>{name}</Link> },
  { title: W.tiers, isNumber: true, cell: ({ tiers }) => tiers.length },
  { title: W.maker, isNumber: true, isWide: true, cell: ({ tiers }) => spanOf(tiers, 'maker_fee_rate') },
  { title: W.taker, isNumber: true, isWide: true, cell: ({ tiers }) => spanOf(tiers, 'taker_fee_rate') },
  { title: W.accounts, isNumber: true, cell: ({ accounts }) => accounts },
  { title: W.updated, isNumber: true, isWide: true, cell: ({ updated_at: at }) => <Moment at={at} /> },
];

/** The rates of the first tier and of the last one. */
function spanOf(tiers: Schedule['tiers'], rate: 'maker_fee_rate' | 'taker_fee_rate'): string {
  const rates = [...new Set([tiers[0]![rate], tiers.at(-1)![rate]])];
  return rates.join(' … ');
}

export function AllSchedules(): JSX.Element {
  const pages = usePaged('schedules', (cursor, signal) =>
    session.value.client.get('/admin/fee-schedules', { params: { query: after(cursor) }, signal }),
  );
  return (
    <section class="panel">
      <h2>{W.parts.all}</h2>
      <PagedTable
        label={W.parts.all}
        columns={COLUMNS}
        pages={pages}
        none={W.none}
        keyOf={({ name }) => name}
      />
    </section>
  );
}
