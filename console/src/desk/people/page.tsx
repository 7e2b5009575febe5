import type { JSX } from 'preact';
import { SubNav } from '../../parts/sub-nav.jsx';
import type { PageProps } from '../../router.jsx';
import { isOperator, type Role, session } from '../../session.js';
import { useStore } from '../../store.js';
import { words } from '../../words/index.js';
import { OneAccount } from './account.jsx';
import { Accounts } from './accounts.jsx';
import { AllOrders } from './orders.jsx';
import { AllTrades } from './trades.jsx';
import { OneUser } from './user.jsx';
import { Users } from './users.jsx';

const PARTS = words.deskPeople.parts;

/** Who may see what, as the routes declare. */
const ROLES: Readonly<Record<keyof typeof PARTS, readonly Role[]>> = {
  users: ['support', 'compliance', 'security'],
  accounts: ['support', 'compliance', 'finance'],
  orders: ['support', 'compliance', 'markets'],
  trades: ['support', 'compliance', 'markets'],
};

/** Users and accounts, each by itself, too, and what they trade. */
export function People({ rest: [named, id] }: PageProps): JSX.Element {
  const { user } = useStore(session);
  const seen = Object.entries(PARTS).filter(([key]) => isOperator(user, ROLES[key as keyof typeof PARTS]));
  const part = named ?? seen[0]?.[0];
  return (
    <>
      <SubNav
        label={words.deskPeople.title}
        base="desk/people"
        parts={Object.fromEntries(seen)}
        current={part ?? ''}
      />
      {part === 'users' && (id === undefined ? <Users /> : <OneUser key={id} username={id} />)}
      {part === 'accounts' && (id === undefined ? <Accounts /> : <OneAccount key={id} accountId={id} />)}
      {part === 'orders' && <AllOrders />}
      {part === 'trades' && <AllTrades />}
    </>
  );
}
