/**
 * How many live orders, and how many stops among them, an account may have in one market, and a party in all of them. Each
 * open order costs the house memory and time, an unfunded stop costs its owner nothing, and neither does an account.
 *
 * The figures are settings, but a replay must use the same values. So they are part of the state, and a leader with
 * other settings changes them by a command. Orders beyond a lowered limit stay.
 */
import type { CommandResult, ConfigureLimits, PlaceOrder, PlaceOrderList, Refusal } from './commands.js';
import { type Context, refusal } from './context.js';
import type { Account } from './state.js';
import { isStopType } from './order-terms.js';

const LIMIT_MAX = 1_000_000;

export function configureLimits(context: Context, command: ConfigureLimits): CommandResult | Refusal {
  const { limits } = context.state;
  const { openOrdersMax, openStopsMax, ownerOpenOrdersMax = limits.ownerOpenOrdersMax } = command;
  const { ownerOpenStopsMax = limits.ownerOpenStopsMax } = command;
  for (const limit of [openOrdersMax, openStopsMax, ownerOpenOrdersMax, ownerOpenStopsMax]) {
    if (!(Number.isInteger(limit) && limit >= 1 && limit <= LIMIT_MAX)) {
      return refusal('invalid_amount', `Limits are whole numbers from 1 to ${LIMIT_MAX}.`);
    }
  }
  limits.openOrdersMax = openOrdersMax;
  limits.openStopsMax = openStopsMax;
  limits.ownerOpenOrdersMax = ownerOpenOrdersMax;
  limits.ownerOpenStopsMax = ownerOpenStopsMax;
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
  if (inMarket + added.orders > limits.openOrdersMax) {
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
  const { party } = account;
  const isBeyond =
    party.openOrders + added.orders > limits.ownerOpenOrdersMax ||
    (added.stops > 0 && party.openStops + added.stops > limits.ownerOpenStopsMax);
  if (isBeyond) {
    return refusal(
      'too_many_open_orders',
      'You have too many open orders or stops, those of all your accounts and of the users whom you made together. Cancel some first.',
    );
  }
  return null;
}
