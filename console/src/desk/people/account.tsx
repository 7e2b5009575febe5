import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLoaded } from '../../live.js';
import { ConfirmWithReason } from '../../parts/confirm-with-reason.jsx';
import { Facts } from '../../parts/facts.jsx';
import { Failure, WhenLoaded } from '../../parts/notice.jsx';
import { Moment } from '../../parts/time.jsx';
import { Link } from '../../router.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';
import { type Account, AccountState } from './accounts.jsx';
import { Adjust, Deposit } from './bookings.jsx';
import { OrderList } from './orders.jsx';
import { GivenSchedule } from '../fees/give.jsx';
import { outcomeOf } from '../outcome.js';
import { TradeList } from './trades.jsx';

const W = words.deskPeople;

export function OneAccount({ accountId }: { readonly accountId: string }): JSX.Element {
  const loaded = useLoaded(accountId, async (signal) => {
    const { data } = await session.value.client.get('/admin/accounts', {
      params: { query: { q: accountId } },
      signal,
    });
    return data.find((each) => each.account_id === accountId) ?? null;
  });
  return (
    <>
      <Link to="desk/people/accounts">{W.allAccounts}</Link>
      <WhenLoaded of={loaded}>
        {(account) =>
          account === null ? (
            <Failure text={W.noAccount} />
          ) : (
            <>
              <Overview account={account} onChanged={loaded.reload} />
              <div class="panels">
                <Deposit accountId={accountId} />
                <Adjust accountId={accountId} />
                <GivenSchedule accountId={accountId} />
              </div>
              <section class="panel">
                <h2>{W.parts.orders}</h2>
                <OrderList query={{ account_id: accountId }} />
              </section>
              <section class="panel">
                <h2>{W.parts.trades}</h2>
                <TradeList query={{ account_id: accountId }} />
              </section>
            </>
          )
        }
      </WhenLoaded>
    </>
  );
}

interface OverviewProps {
  readonly account: Account;
  readonly onChanged: () => void;
}

function Overview({ account, onChanged }: OverviewProps): JSX.Element {
  const { account_id: id, name, owner, kind, status } = account;
  const [message, setMessage] = useState('');
  const { client } = session.value;
  const params = { path: { account_id: id } };
  return (
    <section class="panel">
      <div class="row">
        <h2>{name}</h2>
        <AccountState of={status} />
      </div>
      <Facts
        of={[
          [W.accountId, <code>{id}</code>],
          [
            W.owner,
            owner.includes(':') ? (
              owner
            ) : (
              <Link to={`desk/people/users/${encodeURIComponent(owner)}`}>{owner}</Link>
            ),
          ],
          [W.kind, W.kinds[kind]],
          [W.created, <Moment at={account.created_at} />],
        ]}
      />
      <div>
        {status === 'active' ? (
          <ConfirmWithReason
            label={W.freeze}
            of={id}
            what={W.freezeWhat}
            work={async (reason) => {
              setMessage('');
              await client.post('/admin/accounts/{account_id}/freeze', { params, body: { reason } });
            }}
            onDone={onChanged}
          />
        ) : (
          <ConfirmWithReason
            label={W.unfreeze}
            of={id}
            what={W.unfreezeWhat}
            isOptional
            work={async (reason) => {
              const answer = await client.post('/admin/accounts/{account_id}/unfreeze', {
                params,
                body: { ...(reason !== '' && { reason }) },
              });
              setMessage(outcomeOf(answer, ''));
            }}
            onDone={onChanged}
          />
        )}
      </div>
      <p class="outcome" role="status">
        {message}
      </p>
    </section>
  );
}
