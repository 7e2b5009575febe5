/**
 * How many live orders, and how many stops among them, an account may have in one market. Each open order costs the
 * house memory and time, and an unfunded stop costs its owner nothing.
 *
 * The figures are settings, but a replay must use the same values. So they are part of the state, and a leader with
 * other settings changes them by a command. Orders beyond a lowered limit stay.
 */
import type { CommandResult, ConfigureLimits, PlaceOrder, PlaceOrderList, Refusal } from './commands.js';
import { type Context, refusal } from './context.js';
import type { Account } from './state.js';
import { isStopType } from './order-terms.js';

/** In all markets together. */
export const OPEN_ORDERS_PER_ACCOUNT_MAX = 200_000;

const LIMIT_MAX = 1_000_000;

export function configureLimits(context: Context, command: ConfigureLimits): CommandResult | Refusal {
  const { openOrdersMax, openStopsMax } = command;
  for (const limit of [openOrdersMax, openStopsMax]) {
    if (!(Number.isInteger(limit) && limit >= 1 && limit <= LIMIT_MAX)) {
      return refusal('invalid_amount', `Limits are whole numbers from 1 to ${LIMIT_MAX}.`);
    }
  }
  const { limits } = context.state;
  limits.openOrdersMax = openOrdersMax;
  limits.openStopsMax = openStopsMax;
  context.changes.limits = limits;
  return { type: 'done' };
}

/** Refuses an order that would wait or rest beyond the limits; an order that ends at once does not count. */
export function checkLimits(
  context: Context,
  account: Account,
  command: Pick<PlaceOrder, 'marketId' | 'orderType' | 'timeInForce'>,
): Refusal | null {
  const isStop = isStopType(command.orderType);
  const mayRest =
    command.orderType === 'limit' && (command.timeInForce === 'GTC' || command.timeInForce === 'GTD');
  if (!isStop && !mayRest) return null;
  return checkCounts(context, account, command.marketId, { orders: 1, stops: isStop ? 1 : 0 });
}

/** The same for the orders of a list together; exits that wait for their entry are stops. */
export function checkListLimits(
  context: Context,
  account: Account,
  { marketId, entry }: PlaceOrderList,
): Refusal | null {
  if (entry === null) return checkCounts(context, account, marketId, { orders: 2, stops: 1 });
  const isStop = isStopType(entry.orderType);
  return checkCounts(context, account, marketId, { orders: 3, stops: isStop ? 3 : 2 });
}

function checkCounts(
  { state: { limits } }: Context,
  account: Account,
  marketId: string,
  added: { readonly orders: number; readonly stops: number },
): Refusal | null {
  const position = account.positions.get(marketId);
  const inMarket = position === undefined ? 0 : position.buys.size + position.sells.size;
  const isBeyond =
    inMarket + added.orders > limits.openOrdersMax ||
    account.openOrders + added.orders > OPEN_ORDERS_PER_ACCOUNT_MAX;
  if (isBeyond) {
    return refusal(
      'too_many_open_orders',
      'The account has too many open orders in this market. Cancel some first.',
    );
  }
  if (added.stops > 0 && (position?.openStops ?? 0) + added.stops > limits.openStopsMax) {
    return refusal(
      'too_many_open_orders',
      'The account has too many stops in this market. Cancel some first.',
    );
  }
  return null;
}
