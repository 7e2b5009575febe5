import { type components, TradepostError } from '@tradepost/client';
import { compare, divide, floorTo, isDecimal, isZero } from '../decimal.js';
import { wordsOf } from '../live.js';
import { words } from '../words/index.js';
import type { Market } from './market.js';

export type PlaceOrder = components['schemas']['PlaceOrderDto'];

/** What a person has entered so far. */
export interface Draft {
  readonly side: PlaceOrder['side'];
  readonly type: PlaceOrder['type'];
  readonly price: string;
  readonly stopPrice: string;
  readonly amountAs: 'size' | 'stake';
  readonly amount: string;
  readonly timeInForce: NonNullable<PlaceOrder['time_in_force']>;
  /** As a field of the browser has it: a local time without a zone. */
  readonly expiresAt: string;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  readonly selfTrade: NonNullable<PlaceOrder['self_trade_prevention']>;
}

export const EMPTY_DRAFT: Draft = {
  side: 'buy',
  type: 'limit',
  price: '',
  stopPrice: '',
  amountAs: 'size',
  amount: '',
  timeInForce: 'GTC',
  expiresAt: '',
  postOnly: false,
  reduceOnly: false,
  selfTrade: 'cancel_newest',
};

/** Fields beside which an error can stand; `form` for what is about none of them. */
export type FieldName =
  'side' | 'type' | 'price' | 'stopPrice' | 'amount' | 'timeInForce' | 'expiresAt' | 'form';
export type Errors = Partial<Readonly<Record<FieldName, string>>>;

export const hasPrice = (type: Draft['type']): boolean => type === 'limit' || type === 'stop_limit';
export const hasStopPrice = (type: Draft['type']): boolean => type === 'stop' || type === 'stop_limit';
/** Orders without a price cannot rest. */
export const takesAtOnce = (type: Draft['type']): boolean => type === 'market' || type === 'stop';

/** What a person may choose from. */
export function timesOf(type: Draft['type']): Partial<Record<Draft['timeInForce'], string>> {
  const { IOC, FOK } = words.ticket.times;
  return takesAtOnce(type) ? { IOC, FOK } : words.ticket.times;
}

/** As it is chosen, where the type allows it. */
export function timeInForceOf({ type, timeInForce }: Draft): Draft['timeInForce'] {
  return timeInForce in timesOf(type) ? timeInForce : 'IOC';
}

/** The size of a draft: as it is entered, or what the stake buys at the price, in whole lots; null without a price. */
export function sizeOf(draft: Draft, { lot_size: lot }: Market, bestPrice: string | null): string | null {
  if (draft.amountAs === 'size') return draft.amount;
  const price = hasPrice(draft.type) ? draft.price : hasStopPrice(draft.type) ? draft.stopPrice : bestPrice;
  if (price === null || !isDecimal(price) || isZero(price) || !isDecimal(draft.amount)) return null;
  return floorTo(divide(draft.amount, price, 18), lot);
}

/** The order that a draft is, or what is missing. */
export function orderOf(draft: Draft, market: Market, bestPrice: string | null): PlaceOrder | Errors {
  const errors: Partial<Record<FieldName, string>> = {};
  const needed = (name: FieldName, label: string, text: string): void => {
    if (!isDecimal(text) || compare(text, '0') <= 0) errors[name] = words.ticket.enter(label);
  };
  const { type } = draft;
  if (hasPrice(type)) needed('price', words.ticket.price, draft.price);
  if (hasStopPrice(type)) needed('stopPrice', words.ticket.stopPrice, draft.stopPrice);
  needed('amount', words.ticket[draft.amountAs], draft.amount);
  const size = sizeOf(draft, market, bestPrice);
  if (size === null) errors.amount ??= words.ticket.stakeNeedsPrice;
  if (Object.keys(errors).length > 0 || size === null) return errors;
  const isGoodTill = timeInForceOf(draft) === 'GTD';
  return {
    market_id: market.market_id,
    side: draft.side,
    type,
    size,
    ...(hasPrice(type) && { price: draft.price }),
    ...(hasStopPrice(type) && { stop_price: draft.stopPrice }),
    time_in_force: timeInForceOf(draft),
    ...(isGoodTill && draft.expiresAt !== '' && { expires_at: new Date(draft.expiresAt).toISOString() }),
    ...(draft.postOnly && type === 'limit' && { post_only: true }),
    ...(draft.reduceOnly && { reduce_only: true }),
    self_trade_prevention: draft.selfTrade,
  };
}

export function isOrder(made: PlaceOrder | Errors): made is PlaceOrder {
  return 'market_id' in made;
}

const FIELDS: Readonly<Record<string, FieldName>> = {
  side: 'side',
  type: 'type',
  price: 'price',
  stop_price: 'stopPrice',
  size: 'amount',
  time_in_force: 'timeInForce',
  expires_at: 'expiresAt',
};

/** Refusals that name no field, by a word of their codes. */
const FIELD_OF_CODE: readonly (readonly [RegExp, FieldName])[] = [
  [/stop_price/, 'stopPrice'],
  [/price|tick|post_only/, 'price'],
  [/size|lot|notional|funds|amount|liquidity|reduce/, 'amount'],
  [/time_in_force/, 'timeInForce'],
  [/expir/, 'expiresAt'],
];

/** What the service has refused, beside the fields that caused it. */
export function errorsOf(error: unknown): Errors {
  const text = wordsOf(error);
  if (!(error instanceof TradepostError)) return { form: text };
  const named = error.details.flatMap(({ field, message }) => {
    const name = FIELDS[field];
    return name === undefined ? [] : [[name, message] as const];
  });
  if (named.length > 0) return Object.fromEntries(named);
  const name = FIELD_OF_CODE.find(([code]) => code.test(error.code))?.[1] ?? 'form';
  return { [name]: text };
}
