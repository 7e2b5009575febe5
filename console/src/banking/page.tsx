import type { JSX } from 'preact';
import { SubNav } from '../parts/sub-nav.jsx';
import type { PageProps } from '../router.jsx';
import { words } from '../words/index.js';
import { BankAccounts } from './accounts.jsx';
import { Identity } from './identity.jsx';
import { Payouts } from './payouts.jsx';

const PARTS = words.banking.parts;

const SHOWN: Readonly<Record<string, (props: PageProps) => JSX.Element>> = {
  identity: Identity,
  accounts: BankAccounts,
  payouts: Payouts,
};

/** Who one is, where money may be paid to, and what was paid. */
export function Banking({ rest: [part = 'identity', ...rest] }: PageProps): JSX.Element {
  const Part = SHOWN[part] ?? Identity;
  return (
    <>
      <SubNav label={words.banking.title} base="banking" parts={PARTS} current={part} />
      <Part key={`${part} ${rest.join(' ')}`} rest={rest} />
    </>
  );
}
