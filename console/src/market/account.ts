import type { AccountEvent, components } from '@tradepost/client';
import { useRef } from 'preact/hooks';
import { useStream } from '../live.js';
import { session } from '../session.js';

export type Order = components['schemas']['OrderDto'];
export type Balance = components['schemas']['BalanceDto'];

export interface AccountView {
  /** Those that can still be filled, by their ids. */
  readonly orders: ReadonlyMap<string, Order>;
  /** By asset. */
  readonly balances: ReadonlyMap<string, Balance>;
  /** How many fills came since the page was opened. */
  readonly fills: number;
  readonly isKnown: boolean;
}

const NOTHING: AccountView = { orders: new Map(), balances: new Map(), fills: 0, isKnown: false };
const LIVE: readonly Order['status'][] = ['untriggered', 'open', 'partially_filled'];

/** The orders and balances of the user's own account, live; nothing without a user. */
export function useAccount(user: string | null): AccountView {
  const view = useRef(NOTHING);
  const owner = useRef(user);
  if (owner.current !== user) {
    owner.current = user;
    view.current = NOTHING;
  }
  useStream(
    'account',
    user,
    (following) => session.value.client.account(following),
    (event) => {
      view.current = after(view.current, event);
      return 'live';
    },
  );
  return view.current;
}

function after(before: AccountView, { type, data }: AccountEvent): AccountView {
  const isSnapshot = type === 'account.snapshot';
  const orders = new Map(isSnapshot ? [] : before.orders);
  for (const order of data.orders) {
    if (LIVE.includes(order.status)) orders.set(order.order_id, order);
    else orders.delete(order.order_id);
  }
  const balances = new Map(isSnapshot ? [] : before.balances);
  for (const balance of data.balances) balances.set(balance.asset, balance);
  const fills = before.fills + ('fills' in data ? data.fills.length : 0);
  return { orders, balances, fills, isKnown: true };
}
