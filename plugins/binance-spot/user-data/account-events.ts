import {
  amount,
  formatAmount,
  parseAmount,
  type AccountEvent,
  type BalanceDto,
  type FillDto,
  type OrderDto,
} from '../../../src/index.js';
import type { SymbolsService } from '../symbols.service.js';
import {
  clientIdOf,
  listNumberOf,
  orderFieldsOf,
  orderNumberOf,
  orderTypeOf,
  statusOf,
} from '../trading/order-response.js';
import { productOf, sumOf, tradeNumberOf } from '../trades.js';

type AccountUpdate = AccountEvent<'account.update'>;
type ExecutionType = 'NEW' | 'CANCELED' | 'REPLACED' | 'REJECTED' | 'TRADE' | 'EXPIRED';

/** What one commit did in an account, as the dialect reports it: orders first, then balances. */
export function userEventsOf(
  { data, created_at: createdAt }: AccountUpdate,
  symbols: SymbolsService,
): object[] {
  const timeMs = Date.parse(createdAt);
  const reports = data.orders.flatMap((order) => {
    const symbol = symbols.ofMarket(order.market_id)?.symbol;
    const fills = data.fills.filter(({ order_id: orderId }) => orderId === order.order_id);
    return symbol === undefined ? [] : reportsOf(order, fills, symbol, timeMs);
  });
  return data.balances.length === 0 ? reports : [...reports, positionOf(data.balances, timeMs)];
}

/** The lists that were begun or may have ended with it. */
export function changedListsOf({ data: { orders } }: AccountUpdate): string[] {
  const ids = new Set<string>();
  for (const { order_list_id: listId, status, created_at: createdAt, updated_at: updatedAt } of orders) {
    const isLive = status === 'open' || status === 'partially_filled' || status === 'untriggered';
    if (listId !== null && (createdAt === updatedAt || !isLive)) ids.add(listId);
  }
  return [...ids];
}

export function isUpdate(event: AccountEvent): event is AccountUpdate {
  return event.type === 'account.update';
}

/** That the order is new, each of its fills, and how it ended otherwise. */
function reportsOf(order: OrderDto, fills: readonly FillDto[], symbol: string, timeMs: number): object[] {
  const steps: object[] = [];
  const report = (type: ExecutionType, status: string, step: ExecutedStep): void => {
    steps.push(executionReportOf(order, symbol, timeMs, { type, status, ...step }));
  };
  const nothing = {
    executed: minus(order.filled_size, sumOf(fills.map(({ size }) => size))),
    fill: undefined,
  };
  const isNew = order.created_at === order.updated_at && order.status !== 'rejected';
  if (isNew) report('NEW', 'NEW', { ...nothing, quote: '0' });
  let executed = nothing.executed;
  const { cummulativeQuoteQty: quoteAfter } = orderFieldsOf(order, symbol) as { cummulativeQuoteQty: string };
  let quote = isNew ? '0' : minus(quoteAfter, sumOf(fills.map(({ price, size }) => productOf(price, size))));
  for (const fill of fills) {
    executed = sumOf([executed, fill.size]);
    quote = sumOf([quote, productOf(fill.price, fill.size)]);
    const isFilled = executed === order.size;
    report('TRADE', isFilled ? 'FILLED' : 'PARTIALLY_FILLED', { executed, quote, fill });
  }
  const last = statusOf(order);
  if (last === 'CANCELED' || last === 'EXPIRED' || last === 'REJECTED')
    report(last, last, { executed, quote, fill: undefined });
  return steps;
}

interface ExecutedStep {
  /** Filled by then, in the base asset. */
  readonly executed: string;
  /** The same in the quote asset. */
  readonly quote: string;
  readonly fill: FillDto | undefined;
}

function executionReportOf(
  order: OrderDto,
  symbol: string,
  timeMs: number,
  {
    type,
    status,
    executed,
    quote,
    fill,
  }: ExecutedStep & { readonly type: ExecutionType; readonly status: string },
): object {
  const isWorking = order.status !== 'untriggered' && (status === 'NEW' || status === 'PARTIALLY_FILLED');
  const fields = orderFieldsOf(order, symbol) as { readonly selfTradePreventionMode: string };
  return {
    e: 'executionReport',
    E: Date.now(),
    s: symbol,
    c: clientIdOf(order),
    S: order.side.toUpperCase(),
    o: orderTypeOf(order),
    f: order.time_in_force,
    q: order.size,
    p: order.price ?? '0',
    P: order.stop_price ?? '0',
    F: order.display_size ?? '0',
    g: listNumberOf(order),
    C: type === 'CANCELED' ? clientIdOf(order) : '',
    x: type,
    X: status,
    r: 'NONE',
    i: orderNumberOf(order.order_id),
    l: fill?.size ?? '0',
    z: executed,
    L: fill?.price ?? '0',
    n: fill?.fee ?? '0',
    N: fill?.fee_asset ?? null,
    T: fill === undefined ? timeMs : Date.parse(fill.executed_at),
    t: fill === undefined ? -1 : tradeNumberOf(fill.trade_id),
    I: order.sequence,
    w: isWorking,
    m: fill?.liquidity === 'maker',
    M: false,
    O: Date.parse(order.created_at),
    Z: quote,
    Y: fill === undefined ? '0' : productOf(fill.price, fill.size),
    Q: order.quote_size ?? '0',
    ...(isWorking && { W: Date.parse(order.created_at) }),
    V: fields.selfTradePreventionMode,
  };
}

function positionOf(balances: readonly BalanceDto[], timeMs: number): object {
  return {
    e: 'outboundAccountPosition',
    E: Date.now(),
    u: timeMs,
    B: balances.map(({ asset: a, available, held }) => ({ a, f: available ?? '0', l: held ?? '0' })),
  };
}

/** Never below zero: what an average was rounded by may be missing. */
function minus(total: string, part: string): string {
  const rest = parseAmount(total)! - parseAmount(part)!;
  return formatAmount(amount(rest < 0n ? 0n : rest));
}
