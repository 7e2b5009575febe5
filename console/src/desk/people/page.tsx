import type { JSX } from 'preact';
import { SubNav } from '../../parts/sub-nav.jsx';
import type { PageProps } from '../../router.jsx';
import { words } from '../../words/index.js';
import { OneAccount } from './account.jsx';
import { Accounts } from './accounts.jsx';
import { AllOrders } from './orders.jsx';
import { AllTrades } from './trades.jsx';
import { OneUser } from './user.jsx';
import { Users } from './users.jsx';

const PARTS = words.deskPeople.parts;

/** Users and accounts, each by itself, too, and what they trade. */
export function People({ rest: [part = 'users', id] }: PageProps): JSX.Element {
  return (
    <>
      <SubNav label={words.deskPeople.title} base="desk/people" parts={PARTS} current={part} />
      {part === 'users' && (id === undefined ? <Users /> : <OneUser key={id} username={id} />)}
      {part === 'accounts' && (id === undefined ? <Accounts /> : <OneAccount key={id} accountId={id} />)}
      {part === 'orders' && <AllOrders />}
      {part === 'trades' && <AllTrades />}
    </>
  );
}
