import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { grouped } from '../decimal.js';
import { after, useLoaded, usePaged } from '../live.js';
import { AccountChoice, chosenAccount } from '../parts/account-choice.jsx';
import { Download } from '../parts/download.jsx';
import { WhenLoaded } from '../parts/notice.jsx';
import { type Column, PagedTable } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { Link, type PageProps } from '../router.jsx';
import { session } from '../session.js';
import { useStore } from '../store.js';
import { words } from '../words/index.js';
import { NewPayout } from './new-payout.jsx';
import { PayoutBadge } from './payout-status.jsx';
import { OnePayout } from './payout.jsx';

type Payout = components['schemas']['PayoutDto'];

const W = words.banking.payouts;

const COLUMNS: readonly Column<Payout>[] = [
  {
    title: words.banking.time,
    cell: ({ payout_id: id, created_at: at }) => (
      <Link to={`banking/payouts/${id}`}>
        <Moment at={at} />
      </Link>
    ),
  },
  {
    title: W.amount,
    isNumber: true,
    cell: ({ amount, currency }) => `${grouped(amount)} ${currency}`,
  },
  {
    title: W.fee,
    isNumber: true,
    isWide: true,
    cell: ({ fee, currency }) => `${grouped(fee)} ${currency}`,
  },
  { title: words.banking.status, cell: ({ status }) => <PayoutBadge status={status} /> },
  { title: W.note, isWide: true, cell: ({ message }) => message ?? '' },
];

export function Payouts({ rest: [payoutId] }: PageProps): JSX.Element {
  return payoutId === undefined ? <AllPayouts /> : <OnePayout payoutId={payoutId} />;
}

function AllPayouts(): JSX.Element {
  const pages = usePaged('payouts', (cursor, signal) =>
    session.value.client.get('/payouts', { params: { query: after(cursor) }, signal }),
  );
  return (
    <>
      <AccountChoice />
      <NewPayoutOfChosen onMade={pages.reload} />
      <section class="panel">
        <div class="row">
          <h2>{words.banking.parts.payouts}</h2>
          <Download
            label={W.csv}
            fileName="payouts.csv"
            open={() => session.value.client.response('/payouts', { headers: { Accept: 'text/csv' } })}
          />
        </div>
        <PagedTable
          label={words.banking.parts.payouts}
          columns={COLUMNS}
          pages={pages}
          none={W.none}
          keyOf={({ payout_id: id }) => id}
        />
      </section>
    </>
  );
}

/** The form, with where money can go and what there is. */
function NewPayoutOfChosen({ onMade }: { readonly onMade: () => void }): JSX.Element {
  const accountId = useStore(chosenAccount);
  const loaded = useLoaded(accountId, async (signal) => {
    const { client } = session.value;
    const [accounts, balances] = await Promise.all([
      client.get('/payout-accounts', { params: { query: { limit: 200 } }, signal }),
      client.get('/accounts/{account_id}/balances', { params: { path: { account_id: accountId } }, signal }),
    ]);
    return { accounts: accounts.data, balances: balances.data };
  });
  const madeOne = (): void => {
    loaded.reload();
    onMade();
  };
  return (
    <section class="panel">
      <h2>{W.make}</h2>
      <WhenLoaded of={loaded}>
        {({ accounts, balances }) =>
          accounts.length === 0 ? (
            <p>
              {W.needsAccount} <Link to="banking/accounts">{words.banking.accounts.make}</Link>
            </p>
          ) : (
            <NewPayout
              key={accountId}
              accountId={accountId}
              accounts={accounts}
              balances={balances}
              onMade={madeOne}
            />
          )
        }
      </WhenLoaded>
    </section>
  );
}
