import type { JSX } from 'preact';
import { SubNav } from '../parts/sub-nav.jsx';
import type { PageProps } from '../router.jsx';
import { words } from '../words/index.js';
import { OfAccount } from './account.jsx';
import { AllWallets } from './all.jsx';
import { OneWallet } from './wallet.jsx';

const PARTS = words.wallets.parts;

/** All wallets, the transfers of the trading account, or one wallet with its parts. */
export function Wallets({ rest: [part = 'all', ...rest] }: PageProps): JSX.Element {
  return (
    <>
      <SubNav label={words.wallets.title} base="wallets" parts={PARTS} current={part} />
      {part === 'all' && <AllWallets />}
      {part === 'account' && <OfAccount key={rest[0]} transferId={rest[0]} />}
      {!(part in PARTS) && <OneWallet key={part} walletId={part} rest={rest} />}
    </>
  );
}
