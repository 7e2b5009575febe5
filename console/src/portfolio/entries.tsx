import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { grouped } from '../decimal.js';
import { after, usePaged } from '../live.js';
import { Download } from '../parts/download.jsx';
import { type Column, PagedTable } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { Link } from '../router.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import type { PartProps } from './part.js';

type Entry = components['schemas']['EntryDto'];

const W = words.portfolio;

export function signed({ amount, direction }: Pick<Entry, 'amount' | 'direction'>): JSX.Element {
  const isCredit = direction === 'credit';
  return <span class={isCredit ? 'up' : 'down'}>{`${isCredit ? '+' : '−'}${grouped(amount)}`}</span>;
}

const COLUMNS: readonly Column<Entry>[] = [
  { title: W.time, cell: ({ created_at: at }) => <Moment at={at} /> },
  { title: W.reason, cell: ({ reason }) => W.reasons[reason] },
  { title: W.asset, cell: ({ asset }) => asset },
  { title: W.amount, isNumber: true, cell: signed },
  { title: W.balanceAfter, isNumber: true, cell: ({ balance_after: after }) => grouped(after) },
  { title: W.reference, isWide: true, cell: ({ reference }) => <code>{reference}</code> },
];

/** All that was ever booked in an account, in one asset or in all. */
export function Entries({ accountId, only }: PartProps): JSX.Element {
  const { client } = session.value;
  const pages = usePaged(accountId, (cursor, signal) =>
    client.get('/accounts/{account_id}/entries', {
      params: {
        path: { account_id: accountId },
        query: { limit: 200, ...after(cursor) },
      },
      signal,
    }),
  );
  const rows = pages.rows?.filter(({ asset }) => only === undefined || asset === only);
  return (
    <section class="panel">
      <div class="filters">
        <h2>{only === undefined ? W.parts.entries : W.entriesOf({ asset: only })}</h2>
        {only !== undefined && <Link to="portfolio/entries">{W.allAssets}</Link>}
        <Download
          label={W.csv}
          fileName="entries.csv"
          open={() =>
            client.response('/accounts/{account_id}/entries', {
              params: { path: { account_id: accountId } },
              headers: { Accept: 'text/csv' },
            })
          }
        />
      </div>
      <PagedTable
        label={W.parts.entries}
        columns={COLUMNS}
        pages={{ ...pages, rows }}
        none={W.noEntries}
        keyOf={({ entry_id }) => entry_id}
      />
    </section>
  );
}
