import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { grouped } from '../decimal.js';
import { after, usePaged } from '../live.js';
import { type Column, PagedTable } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';

type Deposit = components['schemas']['ChainDepositDto'];

const W = words.wallets;

const COLUMNS: readonly Column<Deposit>[] = [
  { title: W.transfers.time, cell: ({ created_at: at }) => <Moment at={at} /> },
  { title: W.transfers.amount, isNumber: true, cell: ({ amount, asset }) => `${grouped(amount)} ${asset}` },
  {
    title: W.transfers.status,
    cell: ({ status, reason }) => (
      <>
        {W.deposits.statuses[status]}
        {reason !== null && <p class="hint">{reason}</p>}
      </>
    ),
  },
  { title: W.address, isWide: true, cell: ({ address }) => <code>{address}</code> },
  { title: W.transfers.hash, isWide: true, cell: ({ tx_hash: hash }) => <code>{hash ?? '–'}</code> },
];

/** What arrived over chains: also what is not credited, and why. */
export function Deposits({ walletId }: { readonly walletId: string }): JSX.Element {
  const pages = usePaged(walletId, (cursor, signal) =>
    session.value.client.get('/wallets/{wallet_id}/deposits', {
      params: { path: { wallet_id: walletId }, query: after(cursor) },
      signal,
    }),
  );
  return (
    <section class="panel">
      <h2>{W.walletParts.deposits}</h2>
      <PagedTable
        label={W.walletParts.deposits}
        columns={COLUMNS}
        pages={pages}
        none={W.deposits.none}
        keyOf={({ deposit_id: id }) => id}
      />
    </section>
  );
}
