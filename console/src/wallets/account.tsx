import type { JSX } from 'preact';
import { useLoaded } from '../live.js';
import { WhenLoaded } from '../parts/notice.jsx';
import { AccountChoice, chosenAccount } from '../parts/account-choice.jsx';
import { session } from '../session.js';
import { useStore } from '../store.js';
import type { Source } from './source.js';
import { OneTransfer, Transfers } from './transfers.jsx';

/** What goes from a trading account into wallets and other accounts, and what comes from there. */
export function OfAccount({ transferId }: { readonly transferId: string | undefined }): JSX.Element {
  const accountId = useStore(chosenAccount);
  const loaded = useLoaded(accountId, (signal) =>
    session.value.client.get('/accounts/{account_id}/balances', {
      params: { path: { account_id: accountId } },
      signal,
    }),
  );
  return (
    <>
      <AccountChoice />
      <WhenLoaded of={loaded}>
        {({ data: balances }) => {
          const source: Source = { kind: 'account', id: accountId, balances, reload: loaded.reload };
          return transferId === undefined ? (
            <Transfers key={accountId} source={source} />
          ) : (
            <OneTransfer source={source} transferId={transferId} />
          );
        }}
      </WhenLoaded>
    </>
  );
}
