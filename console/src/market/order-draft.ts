import type { components } from '@tradepost/client';
import { divide, floorTo, isDecimal, isZero } from '../decimal.js';
import { words } from '../words/index.js';
import type { Order } from './account.js';
import type { Market } from './market.js';

export type PlaceOrder = components['schemas']['PlaceOrderDto'];

/** What the ticket can place: one order, or a list of them. */
export type TicketType = PlaceOrder['type'] | 'oco' | 'bracket';

/** What a person has entered so far. */
export interface Draft {
  readonly side: PlaceOrder['side'];
  readonly type: TicketType;
  /** What a bracket begins with. */
  readonly entryType: 'limit' | 'market';
  readonly price: string;
  readonly stopPrice: string;
  readonly trigger: NonNullable<PlaceOrder['trigger']>;
  readonly trailBy: 'offset' | 'percent';
  readonly trail: string;
  /** The limit order of a list that closes with a profit. */
  readonly exitPrice: string;
  /** The limit of the stop of a list; empty for none. */
  readonly stopLimit: string;
  readonly amountAs: 'size' | 'stake';
  readonly amount: string;
  /** How much of it the book shows; empty for all. */
  readonly displaySize: string;
  readonly timeInForce: NonNullable<PlaceOrder['time_in_force']>;
  /** As a field of the browser has it: a local time without a zone. */
  readonly expiresAt: string;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  readonly selfTrade: NonNullable<PlaceOrder['self_trade_prevention']>;
  /** The open order that this one is to replace. */
  readonly replacedId: string | null;
}

export const EMPTY_DRAFT: Draft = {
  side: 'buy',
  type: 'limit',
  entryType: 'limit',
  price: '',
  stopPrice: '',
  trigger: 'last',
  trailBy: 'offset',
  trail: '',
  exitPrice: '',
  stopLimit: '',
  amountAs: 'size',
  amount: '',
  displaySize: '',
  timeInForce: 'GTC',
  expiresAt: '',
  postOnly: false,
  reduceOnly: false,
  selfTrade: 'cancel_newest',
  replacedId: null,
};

export const isList = ({ type }: Pick<Draft, 'type'>): boolean => type === 'oco' || type === 'bracket';

/** Whether what is placed first has a limit price. */
export function hasPrice({ type, entryType }: Pick<Draft, 'type' | 'entryType'>): boolean {
  return type === 'limit' || type === 'stop_limit' || (type === 'bracket' && entryType === 'limit');
}

export const hasStopPrice = (draft: Pick<Draft, 'type'>): boolean =>
  draft.type === 'stop' || draft.type === 'stop_limit' || isList(draft);

/** Orders without a price cannot rest. */
export const takesAtOnce = ({ type }: Pick<Draft, 'type'>): boolean =>
  type === 'market' || type === 'stop' || type === 'trailing_stop';

/** Whether the stake itself is sent, and the book decides what size it gives. A replacement has a size. */
export const isSpending = ({ type, amountAs, replacedId }: Draft): boolean =>
  type === 'market' && amountAs === 'stake' && replacedId === null;

/** What a person may choose from. */
export function timesOf(draft: Draft): Partial<Record<Draft['timeInForce'], string>> {
  const { IOC, FOK } = words.ticket.times;
  if (isSpending(draft)) return { IOC };
  return takesAtOnce(draft) ? { IOC, FOK } : words.ticket.times;
}

/** As it is chosen, where the type allows it. */
export function timeInForceOf(draft: Draft): Draft['timeInForce'] {
  return draft.timeInForce in timesOf(draft) ? draft.timeInForce : 'IOC';
}

/** Whether a part of it can be hidden. */
export function mayHide(draft: Draft): boolean {
  return draft.type === 'limit' && ['GTC', 'GTD'].includes(timeInForceOf(draft));
}

/** The size of a draft: as it is entered, or what the stake buys at the price, in whole lots; null without a price. */
export function sizeOf(draft: Draft, { lot_size: lot }: Market, bestPrice: string | null): string | null {
  if (draft.amountAs === 'size') return draft.amount;
  const price = hasPrice(draft)
    ? draft.price
    : draft.type === 'oco'
      ? draft.exitPrice
      : hasStopPrice(draft) && draft.type !== 'bracket'
        ? draft.stopPrice
        : bestPrice;
  if (price === null || !isDecimal(price) || isZero(price) || !isDecimal(draft.amount)) return null;
  return floorTo(divide(draft.amount, price, 18), lot);
}

/** A draft that would place what is left of an open order once more. */
export function draftOf(order: Order): Draft {
  return {
    ...EMPTY_DRAFT,
    side: order.side,
    type: order.type,
    price: order.price ?? '',
    stopPrice: order.type === 'trailing_stop' ? '' : (order.stop_price ?? ''),
    trigger: order.trigger ?? 'last',
    trailBy: order.trailing_percent === null ? 'offset' : 'percent',
    trail: order.trailing_percent ?? order.trailing_offset ?? '',
    amount: order.remaining_size,
    displaySize: order.display_size ?? '',
    timeInForce: order.time_in_force,
    expiresAt: order.expires_at === null ? '' : localTime(order.expires_at),
    postOnly: order.post_only,
    reduceOnly: order.reduce_only,
    selfTrade: order.self_trade_prevention,
    replacedId: order.order_id,
  };
}

/** As a field of the browser has it. */
function localTime(at: string): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
