import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { grouped } from '../decimal.js';
import { after, usePaged } from '../live.js';
import { Download } from '../parts/download.jsx';
import { TextField } from '../parts/form.jsx';
import { type Column, PagedTable } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { signed } from './entries.jsx';
import type { PartProps } from './part.js';

type Line = components['schemas']['StatementLineDto'];

const W = words.portfolio;

const COLUMNS: readonly Column<Line>[] = [
  { title: W.time, cell: ({ at }) => <Moment at={at} /> },
  {
    title: W.reason,
    cell: ({ kind, reason }) =>
      kind === 'opening' ? W.opening : kind === 'closing' ? W.closing : reason && W.reasons[reason],
  },
  { title: W.asset, cell: ({ asset }) => asset },
  {
    title: W.amount,
    isNumber: true,
    cell: ({ amount, direction }) =>
      amount === null || direction === null ? '' : signed({ amount, direction }),
  },
  { title: words.portfolio.balances, isNumber: true, cell: ({ balance }) => grouped(balance) },
  { title: W.reference, isWide: true, cell: ({ reference }) => <code>{reference ?? ''}</code> },
];

/** The first day of this month, and the day after today, in UTC as all of the service's days. */
function thisMonth(): readonly [string, string] {
  const now = new Date();
  const day = (date: Date): string => date.toISOString().slice(0, 10);
  return [
    day(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))),
    day(new Date(now.getTime() + 86_400_000)),
  ];
}

/** What was there, what came and went, and what was left: the sums are the service's. */
export function Statement({ accountId }: PartProps): JSX.Element {
  const [[from, to], setPeriod] = useState(thisMonth);
  const { client } = session.value;
  const period = {
    ...(from !== '' && { from: `${from}T00:00:00Z` }),
    ...(to !== '' && { to: `${to}T00:00:00Z` }),
  };
  const path = { account_id: accountId };
  const pages = usePaged(`${from} ${to}`, (cursor, signal) =>
    client.get('/accounts/{account_id}/statements', {
      params: { path, query: { ...period, limit: 200, ...after(cursor) } },
      signal,
    }),
  );
  return (
    <section class="panel">
      <h2>{W.parts.statement}</h2>
      <div class="filters">
        <TextField label={W.from} type="date" value={from} onChange={(day) => setPeriod([day, to])} />
        <TextField label={W.to} type="date" value={to} onChange={(day) => setPeriod([from, day])} />
        <Download
          label={W.csv}
          fileName={`statement-${from}-${to}.csv`}
          open={() =>
            client.response('/accounts/{account_id}/statements', {
              params: { path, query: period },
              headers: { Accept: 'text/csv' },
            })
          }
        />
      </div>
      <PagedTable
        label={W.parts.statement}
        columns={COLUMNS}
        pages={pages}
        none={W.noLines}
        keyOf={({ kind, asset, ledger_sequence: place, entry_id: id }) => `${kind} ${asset} ${place} ${id}`}
      />
    </section>
  );
}
