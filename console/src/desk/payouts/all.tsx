import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { isUnderWay, PayoutBadge } from '../../banking/payout-status.jsx';
import { grouped } from '../../decimal.js';
import { after, usePaged } from '../../live.js';
import { Confirm } from '../../parts/confirm.jsx';
import { ConfirmWithReason } from '../../parts/confirm-with-reason.jsx';
import { Download } from '../../parts/download.jsx';
import { Choice } from '../../parts/field.jsx';
import { type Column, PagedTable } from '../../parts/table.jsx';
import { Moment } from '../../parts/time.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';
import { ReportPayout } from './report-payout.jsx';

export type Payout = components['schemas']['OperatorPayoutDto'];

const W = words.deskPayouts;

function columnsOf(reload: () => void): readonly Column<Payout>[] {
  return [
    { title: words.banking.time, cell: ({ created_at: at }) => <Moment at={at} /> },
    { title: W.owner, cell: ({ owner }) => owner },
    { title: W.by, isWide: true, cell: ({ requested_by: by }) => by },
    {
      title: words.banking.payouts.amount,
      isNumber: true,
      cell: ({ amount, currency }) => `${grouped(amount)} ${currency}`,
    },
    { title: W.rail, isWide: true, cell: ({ rail }) => rail },
    {
      title: words.banking.status,
      cell: ({ status, held }) => (
        <>
          <PayoutBadge status={status} /> {held !== null && `${W.held}: ${W.holds[held]}`}
        </>
      ),
    },
    { title: words.banking.payouts.note, isWide: true, cell: ({ message }) => message ?? '' },
    {
      title: words.banking.actions,
      cell: (payout) => <Acts payout={payout} onDone={reload} />,
    },
  ];
}

export function AllPayouts(): JSX.Element {
  const [status, setStatus] = useState<Payout['status'] | 'any'>('any');
  const { client } = session.value;
  const query = status === 'any' ? {} : { status };
  const pages = usePaged(status, (cursor, signal) =>
    client.get('/admin/payouts', { params: { query: { ...query, ...after(cursor) } }, signal }),
  );
  return (
    <section class="panel">
      <div class="filters">
        <Choice
          label={words.banking.status}
          value={status}
          options={{ any: words.desk.all, ...words.banking.payouts.statuses }}
          onChange={setStatus}
        />
        <Download
          label={W.csv}
          fileName="payouts.csv"
          open={() =>
            client.response('/admin/payouts', { params: { query }, headers: { Accept: 'text/csv' } })
          }
        />
      </div>
      <PagedTable
        label={W.parts.all}
        columns={columnsOf(pages.reload)}
        pages={pages}
        none={W.none}
        keyOf={({ payout_id: id }) => id}
      />
    </section>
  );
}

interface ActsProps {
  readonly payout: Payout;
  readonly onDone: () => void;
}

/** What an operator can do with a payout in its state. */
function Acts({ payout, onDone }: ActsProps): JSX.Element {
  const { payout_id: id, status, amount, currency, held } = payout;
  const { client } = session.value;
  const params = { path: { payout_id: id } };
  const of = `${grouped(amount)} ${currency}`;
  const isWaiting = status === 'pending_approval';
  return (
    <span class="row">
      {isWaiting && (
        <Confirm
          label={W.approve}
          of={of}
          what={W.approveWhat}
          isDangerous={false}
          work={() => client.post('/admin/payouts/{payout_id}/approve', { params })}
          onDone={onDone}
        />
      )}
      {(isWaiting || (held !== null && status === 'pending')) && (
        <ConfirmWithReason
          label={W.reject}
          of={of}
          what={W.rejectWhat}
          work={(reason) => client.post('/admin/payouts/{payout_id}/reject', { params, body: { reason } })}
          onDone={onDone}
        />
      )}
      {((isUnderWay(status) && !isWaiting && status !== 'pending') || status === 'paid') && (
        <ReportPayout payoutId={id} of={of} isPaid={status === 'paid'} onDone={onDone} />
      )}
    </span>
  );
}
