/**
 * Mass quotes: a maker replaces both sides of many markets in one command. On each side of a market an account has one
 * quote at most, a limit order that only ever rests (`post_only`).
 *
 * A quote whose price and size are those wanted keeps its place in the queue. All others that the command names are
 * cancelled before any new one is placed, so that their money is free for these. A side that is refused leaves the others
 * alone.
 */
import { invariant } from '../invariant.js';
import { hasExpired } from '../matching/match-plan.js';
import { acceptOrder, type RequestedOrder } from './acceptance.js';
import type {
  CommandResult,
  MassQuote,
  QuotedMarket,
  QuotedOutcomes,
  QuotedSide,
  QuoteOutcome,
  Refusal,
} from './commands.js';
import {
  ACCOUNT_FROZEN,
  ACCOUNT_NOT_FOUND,
  type Context,
  isRefusal,
  MARKET_NOT_FOUND,
  traderOf,
} from './context.js';
import { cancel, enter } from './entering.js';
import { settle } from './list-following.js';
import { checkProtection, setProtection } from './maker-protection.js';
import { checkAllowance, givenBackBy, takeAccepted } from './self-limits.js';
import { type Account, type Order, quoteKey } from './state.js';
import type { Side } from './types.js';

const SIDES = ['buy', 'sell'] as const satisfies readonly Side[];

const wantedOn = (side: Side, { bid, ask }: QuotedMarket): QuotedSide | null => (side === 'buy' ? bid : ask);

export function massQuote(context: Context, command: MassQuote): CommandResult | Refusal {
  const { state } = context;
  const account = traderOf(state, command.accountId);
  if (account === undefined) return ACCOUNT_NOT_FOUND;
  if (account.frozen) return ACCOUNT_FROZEN;
  if (!command.quotes.every(({ marketId }) => state.markets.has(marketId))) return MARKET_NOT_FOUND;
  const refused = checkAllowance(account, command.allowance, () => 0n) ?? checkProtection(context, command);
  if (refused !== null) return refused;

  setProtection(context, command);
  const replaced = new Map<string, bigint>();
  for (const quote of command.quotes) {
    for (const side of SIDES) withdraw(context, account, quote, side, replaced);
  }
  settle(context);
  const placed = command.quotes.map((quote): QuotedOutcomes => {
    const [bid, ask] = SIDES.map((side) => {
      const given = replaced.get(quoteKey(quote.marketId, side)) ?? 0n;
      return place(context, account, command, quote, side, given);
    });
    return { marketId: quote.marketId, bid: bid!, ask: ask! };
  });
  return { type: 'quoted', quotes: placed };
}

/** Cancels the present quote unless it is what is wanted; notes what it gives back of the owner's own limits. */
function withdraw(
  context: Context,
  account: Account,
  quote: QuotedMarket,
  side: Side,
  replaced: Map<string, bigint>,
): void {
  const key = quoteKey(quote.marketId, side);
  const present = account.massQuotes.get(key);
  if (present === undefined || isAsWanted(context, present, wantedOn(side, quote))) return;
  replaced.set(key, givenBackBy(account, present));
  cancel(context, present, 'replaced');
}

function isAsWanted({ timeMs }: Context, present: Order, wanted: QuotedSide | null): boolean {
  if (wanted === null || hasExpired(present, timeMs)) return false;
  const { priceTicks, remainingLots } = present;
  return priceTicks === wanted.priceTicks && remainingLots === wanted.sizeLots;
}

function place(
  context: Context,
  account: Account,
  { accountId, allowance }: MassQuote,
  quote: QuotedMarket,
  side: Side,
  given: bigint,
): QuoteOutcome | null {
  const wanted = wantedOn(side, quote);
  if (wanted === null) return null;
  const present = account.massQuotes.get(quoteKey(quote.marketId, side));
  if (present !== undefined) return { order: present.snapshot(), refusal: null };
  const request: RequestedOrder = {
    ...QUOTE_TERMS,
    accountId,
    marketId: quote.marketId,
    side,
    ...wanted,
    orderId: context.state.sequence + 1,
    ...(allowance !== undefined && { allowance }),
  };
  const accepted = acceptOrder(context, request, given);
  if (isRefusal(accepted)) return { order: null, refusal: accepted };
  context.state.sequence++;
  invariant(
    accepted.order.orderId === context.state.sequence,
    'a quote has the number that it was checked with',
    accepted.order.orderId,
    context.state.sequence,
  );
  takeAccepted(context, allowance, accepted, given);
  context.state.indexOrder(accepted.order);
  enter(context, accepted);
  settle(context);
  return { order: accepted.order.snapshot(), refusal: null };
}

const QUOTE_TERMS = {
  orderType: 'limit',
  timeInForce: 'GTC',
  stopPriceTicks: null,
  expiresAtMs: null,
  postOnly: true,
  reduceOnly: false,
  selfTradePrevention: 'cancel_newest',
  clientOrderId: null,
  isMassQuote: true,
} as const;
