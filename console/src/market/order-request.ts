import type { components, TradepostClient } from '@tradepost/client';
import { compare, isDecimal } from '../decimal.js';
import { words } from '../words/index.js';
import type { Order } from './account.js';
import type { Market } from './market.js';
import {
  type Draft,
  hasPrice,
  hasStopPrice,
  isList,
  isSpending,
  mayHide,
  type PlaceOrder,
  sizeOf,
  timeInForceOf,
} from './order-draft.js';
import type { Errors, FieldName } from './order-errors.js';
import type { Previewed } from './preview.jsx';

type PlaceOrderList = components['schemas']['PlaceOrderListDto'];
type ListedOrder = components['schemas']['ListedOrderDto'];
type ReplaceOrder = components['schemas']['ReplaceOrderDto'];

/** What the ticket sends. */
export type OrderRequest =
  | { readonly kind: 'order'; readonly body: PlaceOrder }
  | { readonly kind: 'list'; readonly body: PlaceOrderList }
  | { readonly kind: 'replacement'; readonly replacedId: string; readonly body: ReplaceOrder };

/** The request that a draft is, or what is missing. */
export function requestOf(draft: Draft, market: Market, bestPrice: string | null): OrderRequest | Errors {
  const errors = missingIn(draft);
  const size = isSpending(draft) ? draft.amount : sizeOf(draft, market, bestPrice);
  if (size === null) errors.amount ??= words.ticket.stakeNeedsPrice;
  if (Object.keys(errors).length > 0 || size === null) return errors;
  if (isList(draft)) return { kind: 'list', body: listOf(draft, market.market_id, size) };
  const body = orderOf(draft, size);
  if (draft.replacedId === null) return { kind: 'order', body: { market_id: market.market_id, ...body } };
  return { kind: 'replacement', replacedId: draft.replacedId, body };
}

export function isRequest(made: OrderRequest | Errors): made is OrderRequest {
  return 'kind' in made;
}

function missingIn(draft: Draft): Partial<Record<FieldName, string>> {
  const { ticket } = words;
  const errors: Partial<Record<FieldName, string>> = {};
  const needed = (name: FieldName, label: string, text: string): void => {
    if (!isDecimal(text) || compare(text, '0') <= 0) errors[name] = ticket.enter({ field: label });
  };
  if (isList(draft)) needed('exitPrice', ticket.exitPrice, draft.exitPrice);
  if (hasPrice(draft)) needed('price', ticket.price, draft.price);
  if (hasStopPrice(draft)) needed('stopPrice', ticket.stopPrice, draft.stopPrice);
  if (isList(draft) && draft.stopLimit !== '') needed('stopLimit', ticket.stopLimit, draft.stopLimit);
  if (draft.type === 'trailing_stop') needed('trail', ticket.trails[draft.trailBy], draft.trail);
  needed('amount', ticket[draft.amountAs], draft.amount);
  if (mayHide(draft) && draft.displaySize !== '')
    needed('displaySize', ticket.displaySize, draft.displaySize);
  return errors;
}

function orderOf(draft: Draft, size: string): Omit<PlaceOrder, 'market_id'> {
  const type = draft.type as PlaceOrder['type'];
  const isGoodTill = timeInForceOf(draft) === 'GTD';
  const trails = draft.trailBy === 'offset' ? 'trailing_offset' : 'trailing_percent';
  return {
    side: draft.side,
    type,
    ...(isSpending(draft) ? { quote_size: size } : { size }),
    ...(hasPrice(draft) && { price: draft.price }),
    ...(hasStopPrice(draft) && { stop_price: draft.stopPrice, trigger: draft.trigger }),
    ...(type === 'trailing_stop' && { [trails]: draft.trail }),
    ...(mayHide(draft) && draft.displaySize !== '' && { display_size: draft.displaySize }),
    time_in_force: timeInForceOf(draft),
    ...(isGoodTill && draft.expiresAt !== '' && { expires_at: new Date(draft.expiresAt).toISOString() }),
    ...(draft.postOnly && type === 'limit' && { post_only: true }),
    ...(draft.reduceOnly && { reduce_only: true }),
    self_trade_prevention: draft.selfTrade,
  };
}

/** The side that is chosen is that of the entry, or without one that of the exits. */
function listOf(draft: Draft, marketId: string, size: string): PlaceOrderList {
  const exitSide = draft.type === 'oco' ? draft.side : draft.side === 'buy' ? 'sell' : 'buy';
  const common = { market_id: marketId, size, self_trade_prevention: draft.selfTrade };
  const exits: ListedOrder[] = [
    { ...common, side: exitSide, type: 'limit', price: draft.exitPrice },
    {
      ...common,
      side: exitSide,
      type: draft.stopLimit === '' ? 'stop' : 'stop_limit',
      stop_price: draft.stopPrice,
      trigger: draft.trigger,
      ...(draft.stopLimit !== '' && { price: draft.stopLimit }),
    },
  ];
  if (draft.type === 'oco') return { type: 'oco', orders: exits };
  const entry: ListedOrder = {
    ...common,
    side: draft.side,
    type: draft.entryType,
    ...(draft.entryType === 'limit' ? { price: draft.price } : { time_in_force: 'IOC' }),
  };
  return { type: 'bracket', orders: [entry, ...exits] };
}

/** What a request has made, the order first that the person has entered. */
export async function send(client: TradepostClient, request: OrderRequest, key: string): Promise<Order> {
  switch (request.kind) {
    case 'order':
      return client.post('/orders', { body: { ...request.body, client_order_id: key } });
    case 'list': {
      const body = { ...request.body, client_order_list_id: key };
      return (await client.post('/order-lists', { body })).orders[0]!;
    }
    case 'replacement': {
      const params = { path: { order_id: request.replacedId } };
      const body = { ...request.body, client_order_id: key };
      return (await client.post('/orders/{order_id}/replace', { params, body })).order;
    }
  }
}

export async function previewOf(client: TradepostClient, request: OrderRequest): Promise<Previewed> {
  switch (request.kind) {
    case 'order':
      return { orders: [await client.post('/orders/preview', { body: request.body })], released: null };
    case 'list': {
      const { orders } = await client.post('/order-lists/preview', { body: request.body });
      return { orders, released: null };
    }
    case 'replacement': {
      const params = { path: { order_id: request.replacedId } };
      const { replaced, order } = await client.post('/orders/{order_id}/replace/preview', {
        params,
        body: request.body,
      });
      return { orders: [order], released: replaced.released };
    }
  }
}
