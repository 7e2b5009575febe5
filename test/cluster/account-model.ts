import type { SequentialModel } from '../support/linearizability.js';

/** A buy order that rests in the book of the market, which has no other bids. */
interface Bid {
  readonly id: string;
  readonly price: number;
  readonly size: number;
}

/** One account that buys, saves and cancels, and a market in which another account sells to it. */
export interface AccountState {
  readonly cash: number;
  readonly coins: number;
  readonly savings: number;
  /** In order of arrival. */
  readonly bids: readonly Bid[];
}

export type AccountInput =
  | { readonly type: 'buy'; readonly id: string; readonly price: number; readonly size: number }
  | { readonly type: 'cancel'; readonly id: string }
  | { readonly type: 'save'; readonly id: string; readonly amount: number }
  /** Another account sells at this price or better; what does not trade is discarded. */
  | { readonly type: 'sell'; readonly id: string; readonly price: number; readonly size: number }
  | { readonly type: 'read balances' }
  | { readonly type: 'read bids' }
  | { readonly type: 'read bid'; readonly id: string }
  | { readonly type: 'read book' };

/**
 * As text: `done` or `refused` for a change; for a cancellation `gone` if there was nothing to cancel, `repeated` if
 * only the second attempt said so; for a read, what it shows.
 */
export type AccountOutput = string;

export function accountModel(cash: number): SequentialModel<AccountState, AccountInput, AccountOutput> {
  return {
    initial: { cash, coins: 0, savings: 0, bids: [] },
    step(state, input, output) {
      const { after, told } = follow(state, input);
      if (output === undefined || output === told) return after;
      // Whichever attempt it was, and whatever the state before: the order is gone.
      if (input.type === 'cancel' && output === 'repeated') return after;
      return undefined;
    },
    textOf: (state) => JSON.stringify(state),
  };
}

interface Consequence {
  readonly after: AccountState;
  readonly told: AccountOutput;
}

function follow(state: AccountState, input: AccountInput): Consequence {
  switch (input.type) {
    case 'buy':
      return buy(state, input);
    case 'cancel':
      return cancel(state, input.id);
    case 'save':
      if (state.cash < input.amount) return { after: state, told: 'refused' };
      return {
        after: { ...state, cash: state.cash - input.amount, savings: state.savings + input.amount },
        told: 'done',
      };
    case 'sell':
      return sell(state, input.price, input.size);
    case 'read balances':
      return { after: state, told: balancesText(state.cash, held(state), state.coins) };
    case 'read bids':
      return { after: state, told: bidsText(state.bids) };
    case 'read bid':
      return { after: state, told: String(state.bids.find(({ id }) => id === input.id)?.size ?? 0) };
    case 'read book':
      return { after: state, told: bookText(levelsOf(state.bids)) };
  }
}

function buy(state: AccountState, { id, price, size }: Bid): Consequence {
  if (state.cash < price * size) return { after: state, told: 'refused' };
  const after = { ...state, cash: state.cash - price * size, bids: [...state.bids, { id, price, size }] };
  return { after, told: 'done' };
}

function cancel(state: AccountState, id: string): Consequence {
  const bid = state.bids.find((one) => one.id === id);
  if (bid === undefined) return { after: state, told: 'gone' };
  const bids = state.bids.filter((one) => one !== bid);
  return { after: { ...state, cash: state.cash + bid.price * bid.size, bids }, told: 'done' };
}

/** The best price first, then first come, first served; each trades at the price of the bid. */
function sell(state: AccountState, priceMin: number, size: number): Consequence {
  let left = size;
  const sizes = new Map(state.bids.map((bid) => [bid, bid.size]));
  const fills: string[] = [];
  for (const bid of state.bids.toSorted((one, other) => other.price - one.price)) {
    const filled = bid.price >= priceMin ? Math.min(left, bid.size) : 0;
    if (filled === 0) continue;
    left -= filled;
    sizes.set(bid, bid.size - filled);
    fills.push(fillText(bid.price, filled));
  }
  const bids = state.bids.map((bid) => ({ ...bid, size: sizes.get(bid)! })).filter((bid) => bid.size > 0);
  return { after: { ...state, coins: state.coins + size - left, bids }, told: fillsText(fills) };
}

function held({ bids }: AccountState): number {
  return bids.reduce((sum, { price, size }) => sum + price * size, 0);
}

function levelsOf(bids: readonly Bid[]): [price: number, size: number][] {
  const levels = new Map<number, number>();
  for (const { price, size } of bids) levels.set(price, (levels.get(price) ?? 0) + size);
  return [...levels].sort(([one], [other]) => other - one);
}

/** The text form of reads and fills, for the model and for the clients. */
export const balancesText = (available: number, inOrders: number, coins: number): string =>
  `${available} available, ${inOrders} held, ${coins} coins`;

export const bidsText = (bids: readonly { readonly id: string; readonly size: number }[]): string =>
  bids
    .map(({ id, size }) => `${id}: ${size}`)
    .sort()
    .join(', ');

export const bookText = (levels: readonly (readonly [price: number, size: number])[]): string =>
  levels.map(([price, size]) => `${size} at ${price}`).join(', ');

export const fillText = (price: number, size: number): string => `${size} at ${price}`;

export const fillsText = (fills: readonly string[]): string => `sold ${fills.join(', ')}`;
