import type { JSX } from 'preact';
import { AccountChoice, chosenAccount } from '../parts/account-choice.jsx';
import { SubNav } from '../parts/sub-nav.jsx';
import type { PageProps } from '../router.jsx';
import { useStore } from '../store.js';
import { words } from '../words/index.js';
import { Accounts } from './accounts.jsx';
import { Entries } from './entries.jsx';
import { AllFills } from './fills.jsx';
import { Limits } from './limits.jsx';
import { Orders } from './orders.jsx';
import { Overview } from './overview.jsx';
import { Statement } from './statement.jsx';
import type { PartProps } from './part.js';
import './portfolio.css';

const PARTS = words.portfolio.parts;

const SHOWN: Readonly<Record<string, (props: PartProps) => JSX.Element>> = {
  overview: Overview,
  orders: Orders,
  fills: AllFills,
  entries: Entries,
  statement: Statement,
  limits: Limits,
  accounts: Accounts,
};

export function Portfolio({ rest: [part = 'overview', only] }: PageProps): JSX.Element {
  const accountId = useStore(chosenAccount);
  const Part = SHOWN[part] ?? Overview;
  return (
    <>
      <div class="filters">
        <SubNav label={words.portfolio.title} base="portfolio" parts={PARTS} current={part} />
        {Part !== Accounts && <AccountChoice />}
      </div>
      <Part key={`${accountId} ${part} ${only}`} accountId={accountId} only={only} />
    </>
  );
}
