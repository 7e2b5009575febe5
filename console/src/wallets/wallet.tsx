import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { grouped } from '../decimal.js';
import { useLoaded } from '../live.js';
import { WhenLoaded } from '../parts/notice.jsx';
import { SubNav } from '../parts/sub-nav.jsx';
import { type Column, Table } from '../parts/table.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { Addresses } from './addresses.jsx';
import { Deposits } from './deposits.jsx';
import { Destinations } from './destinations.jsx';
import type { Source } from './source.js';
import { Signatures } from './signatures.jsx';
import { OneTransfer, Transfers } from './transfers.jsx';

type Balance = components['schemas']['WalletBalanceDto'];

const W = words.wallets;

const BALANCES: readonly Column<Balance>[] = [
  { title: W.asset, cell: ({ asset }) => asset },
  { title: W.total, isNumber: true, cell: ({ total }) => grouped(total) },
  { title: W.available, isNumber: true, cell: ({ available }) => grouped(available) },
  { title: W.held, isNumber: true, isWide: true, cell: ({ held }) => grouped(held) },
];

interface OneWalletProps {
  readonly walletId: string;
  readonly rest: readonly string[];
}

export function OneWallet({ walletId, rest: [part = 'addresses', transferId] }: OneWalletProps): JSX.Element {
  const loaded = useLoaded(walletId, (signal) =>
    session.value.client.get('/wallets/{wallet_id}', {
      params: { path: { wallet_id: walletId } },
      signal,
    }),
  );
  return (
    <WhenLoaded of={loaded}>
      {({ name, balances }) => {
        const source: Source = { kind: 'wallet', id: walletId, balances, reload: loaded.reload };
        return (
          <>
            <section class="panel">
              <h2>{name}</h2>
              {balances.length === 0 ? (
                <p class="empty">{W.empty}</p>
              ) : (
                <Table label={W.balances} columns={BALANCES} rows={balances} keyOf={({ asset }) => asset} />
              )}
            </section>
            <SubNav label={name} base={`wallets/${walletId}`} parts={W.walletParts} current={part} />
            {part === 'addresses' && <Addresses walletId={walletId} />}
            {part === 'deposits' && <Deposits walletId={walletId} />}
            {part === 'transfers' && transferId === undefined && <Transfers source={source} />}
            {part === 'transfers' && transferId !== undefined && (
              <OneTransfer key={transferId} source={source} transferId={transferId} />
            )}
            {part === 'destinations' && <Destinations walletId={walletId} />}
            {part === 'signatures' && <Signatures walletId={walletId} />}
          </>
        );
      }}
    </WhenLoaded>
  );
}
