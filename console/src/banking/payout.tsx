import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { grouped } from '../decimal.js';
import { useLoaded, useLooks } from '../live.js';
import { Confirm } from '../parts/confirm.jsx';
import { Facts } from '../parts/facts.jsx';
import { WhenLoaded } from '../parts/notice.jsx';
import { type Column, Table } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { ReceiptPanel } from '../proof/receipt-panel.jsx';
import { Link } from '../router.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { isUnderWay, PayoutBadge } from './payout-status.jsx';

type Schemas = components['schemas'];
type State = Schemas['PayoutStateDto'];

const W = words.banking.payouts;

const STATES: readonly Column<State>[] = [
  { title: words.banking.status, cell: ({ status }) => <PayoutBadge status={status} /> },
  { title: words.banking.time, cell: ({ changed_at: at }) => <Moment at={at} /> },
  {
    title: W.by,
    isWide: true,
    cell: ({ changed_by: who }) =>
      (words.banking.identity.byWhom as Readonly<Record<string, string | undefined>>)[who] ?? who,
  },
  { title: W.note, cell: ({ message }) => message ?? '' },
];

interface Shown {
  readonly payout: Schemas['PayoutDto'];
  readonly bankAccount: Schemas['PayoutAccountDto'];
  readonly states: readonly State[];
}

async function load(payoutId: string, signal: AbortSignal): Promise<Shown> {
  const { client } = session.value;
  const path = { payout_id: payoutId };
  const [payout, history] = await Promise.all([
    client.get('/payouts/{payout_id}', { params: { path }, signal }),
    client.get('/payouts/{payout_id}/history', { params: { path }, signal }),
  ]);
  const bankAccount = await client.get('/payout-accounts/{payout_account_id}', {
    params: { path: { payout_account_id: payout.payout_account_id } },
    signal,
  });
  return { payout, bankAccount, states: history.data };
}

/** One payout with its states, as they come. */
export function OnePayout({ payoutId }: { readonly payoutId: string }): JSX.Element {
  const loaded = useLoaded(payoutId, (signal) => load(payoutId, signal));
  useLooks(loaded.value !== undefined && isUnderWay(loaded.value.payout.status), loaded);
  return (
    <>
      <Link to="banking/payouts">{W.all}</Link>
      <WhenLoaded of={loaded}>
        {(shown) => (
          <>
            <Details {...shown} onCancelled={loaded.reload} />
            <ReceiptPanel
              accountId={shown.payout.account_id}
              offers={[
                {
                  label: words.proof.ofBooking,
                  fileName: `receipt-${payoutId}.json`,
                  get: () =>
                    session.value.client.get('/payouts/{payout_id}/receipt', {
                      params: { path: { payout_id: payoutId } },
                    }),
                },
              ]}
            />
          </>
        )}
      </WhenLoaded>
    </>
  );
}

function Details({
  payout,
  bankAccount,
  states,
  onCancelled,
}: Shown & { onCancelled: () => void }): JSX.Element {
  const { payout_id: id, amount, currency, fee, status, reference, code, message } = payout;
  return (
    <section class="panel">
      <div class="row">
        <h2>{`${grouped(amount)} ${currency}`}</h2>
        <PayoutBadge status={status} />
      </div>
      <Facts
        of={[
          [W.to, W.account({ ...bankAccount, holder: bankAccount.holder_name })],
          [W.from, <code>{payout.account_id}</code>],
          [W.fee, `${grouped(fee)} ${currency}`],
          [W.reference, reference],
          [W.note, code === null ? message : `${code} ${message ?? ''}`],
          [W.id, <code>{id}</code>],
        ]}
      />
      {['pending', 'pending_approval'].includes(status) && (
        <div>
          <Confirm
            label={W.cancel}
            what={W.cancelWhat}
            work={() =>
              session.value.client.delete('/payouts/{payout_id}', { params: { path: { payout_id: id } } })
            }
            onDone={onCancelled}
          />
        </div>
      )}
      <h3>{W.history}</h3>
      <Table
        label={W.history}
        columns={STATES}
        rows={states}
        keyOf={({ status: each, changed_at: at }) => `${each} ${at}`}
      />
    </section>
  );
}
