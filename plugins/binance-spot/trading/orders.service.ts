import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  REFUSALS,
  ApiError,
  Trading,
  type OrderDto,
  type OrderWithFillsDto,
  type Principal,
  type ReplacedOrderDto,
  type ReplaceOrderDto,
  ORDER_IDS,
} from '../../../src/index.js';
import { BinanceError, eitherMandatory, invalidParameter, newOrderRejected } from '../binance-error.js';
import { toBinanceError } from '../binance-error.filter.js';
import type { Parameters } from '../parameters.js';
import { SymbolsService, type SymbolMarket } from '../symbols.service.js';
import { LIMIT_MAX, periodOf } from '../trades.service.js';
import { DialectAccounts } from './accounts.service.js';
import { ALL_OPEN_PAGES, HISTORY_PAGES, newestFirst } from './newest-first.js';
import { clientOrderIdOf, placeOrderOf } from './order-request.js';
import {
  cancelledOrderOf,
  clientIdOf,
  orderNumberOf,
  placedOrderOf,
  queriedOrderOf,
  type ResponseType,
} from './order-response.js';

const LIVE = 'open,partially_filled,untriggered';
const LIMIT_DEFAULT = 500;

/** Orders of the dialect, by the rules of our own. */
@Injectable()
export class DialectOrders {
  constructor(
    private readonly trading: Trading,
    private readonly symbols: SymbolsService,
    private readonly accounts: DialectAccounts,
  ) {}

  async place(caller: Principal, parameters: Parameters): Promise<object> {
    const market = this.symbols.get(parameters.symbol());
    const order = placeOrderOf(parameters, market.marketId);
    const type = responseTypeOf(parameters, order.type);
    await this.trading.spend(caller);
    const { body, replayed } = await this.trading.place(caller, order);
    // A repeat would hide from the client that its order is older than it believes.
    if (replayed) throw newOrderRejected('Duplicate order sent.');
    return placedOrderOf(body, market.symbol, type);
  }

  async test(caller: Principal, parameters: Parameters): Promise<object> {
    const market = this.symbols.get(parameters.symbol());
    const order = placeOrderOf(parameters, market.marketId);
    responseTypeOf(parameters, order.type);
    const withRates = parameters.boolean('computeCommissionRates') ?? false;
    await this.trading.spend(caller);
    await this.trading.preview(caller, order);
    return withRates ? this.accounts.commissionForOrder(caller, parameters) : {};
  }

  async cancel(caller: Principal, parameters: Parameters): Promise<object> {
    const market = this.symbols.get(parameters.symbol());
    const cancelId = clientOrderIdOf(parameters, 'newClientOrderId') ?? randomUUID();
    const order = await this.find(caller, market, parameters, 'orderId', 'origClientOrderId').catch(
      asUnknownOrder,
    );
    requireRestriction(parameters, order);
    await this.trading.spend(caller);
    const cancelled = await this.trading.cancel(caller, order.order_id).catch(asUnknownOrder);
    return cancelledOrderOf(cancelled, market.symbol, cancelId);
  }

  /** All of a symbol, by one command. Throws -2011 where there is none. */
  async cancelOpen(caller: Principal, parameters: Parameters): Promise<object[]> {
    const market = this.symbols.get(parameters.symbol());
    await this.trading.spend(caller);
    const { cancelled } = await this.trading.cancelAll(caller, { market_id: market.marketId });
    if (cancelled.length === 0) throw unknownOrder();
    const orders = await this.cancelledAmong(caller, market.marketId, cancelled);
    const cancelId = randomUUID();
    return orders.map((order) => cancelledOrderOf(order, market.symbol, cancelId));
  }

  /** In the order of their ids: as a rule one page has them all. */
  private async cancelledAmong(
    caller: Principal,
    marketId: string,
    orderIds: readonly string[],
  ): Promise<OrderDto[]> {
    const missing = new Set(orderIds);
    const oldest = orderNumberOf(orderIds[0]!);
    const latest = await newestFirst(
      (page) => this.trading.orders(caller, { market_id: marketId, status: 'cancelled', ...page }),
      () => false,
      (order) => orderNumberOf(order.order_id) < oldest,
      HISTORY_PAGES,
    );
    const orders = latest.filter(({ order_id: orderId }) => missing.delete(orderId)).reverse();
    const older = await Promise.all([...missing].map((orderId) => this.trading.order(caller, orderId)));
    return [...older, ...orders];
  }

  async get(caller: Principal, parameters: Parameters): Promise<object> {
    const market = this.symbols.get(parameters.symbol());
    const order = await this.find(caller, market, parameters, 'orderId', 'origClientOrderId');
    return queriedOrderOf(order, market.symbol);
  }

  async open(caller: Principal, parameters: Parameters): Promise<object[]> {
    const symbol = parameters.optionalSymbol();
    const marketId = symbol === undefined ? undefined : this.symbols.get(symbol).marketId;
    return this.listed(await this.openOf(caller, marketId));
  }

  /** Oldest first: the latest, those of a time, or those from an order on. */
  async all(caller: Principal, parameters: Parameters): Promise<object[]> {
    const { marketId } = this.symbols.get(parameters.symbol());
    const limit = parameters.limit(LIMIT_DEFAULT, LIMIT_MAX);
    const from = parameters.integer('orderId');
    const period = periodOf(parameters);
    const selection = { market_id: marketId, ...period };
    const isFromOldest = from !== undefined || period.from !== undefined;
    const orders = await newestFirst(
      (page) => this.trading.orders(caller, { ...selection, ...page }),
      (found) => !isFromOldest && found.length >= limit,
      (order) => from !== undefined && orderNumberOf(order.order_id) < from,
      HISTORY_PAGES,
    );
    const oldestFirst = orders.reverse();
    return this.listed(isFromOldest ? oldestFirst.slice(0, limit) : oldestFirst.slice(-limit));
  }

  /** Cancels and places, in one command where both can be done, and tells what became of each. */
  async cancelReplace(caller: Principal, parameters: Parameters): Promise<object> {
    const market = this.symbols.get(parameters.symbol());
    const cancelId = clientOrderIdOf(parameters, 'cancelNewClientOrderId') ?? randomUUID();
    const mode = parameters.oneOf('cancelReplaceMode', ['STOP_ON_FAILURE', 'ALLOW_FAILURE'], () =>
      invalidParameter('cancelReplaceMode'),
    );
    const { market_id: _, quote_size: quoteSize, ...order } = placeOrderOf(parameters, market.marketId);
    const type = responseTypeOf(parameters, order.type);
    // Two commands could part: the one would be done and the other not.
    if (mode === 'ALLOW_FAILURE' || quoteSize !== undefined) {
      throw new BinanceError(-1020, 'This operation is not supported.');
    }
    await this.trading.spend(caller, 2);
    const { replaced, order: placed } = await this.replace(caller, market, parameters, order);
    const cancelResponse = cancelledOrderOf(replaced, market.symbol, cancelId);
    if (placed.status === 'rejected') throw placedNothing(placed, cancelResponse);
    return {
      cancelResult: 'SUCCESS',
      newOrderResult: 'SUCCESS',
      cancelResponse,
      newOrderResponse: placedOrderOf(placed, market.symbol, type),
    };
  }

  /** Throws -2022 where the order cannot be replaced: then it stays, and nothing is placed. */
  private async replace(
    caller: Principal,
    market: SymbolMarket,
    parameters: Parameters,
    order: ReplaceOrderDto,
  ): Promise<ReplacedOrderDto> {
    try {
      const old = await this.find(
        caller,
        market,
        parameters,
        'cancelOrderId',
        'cancelOrigClientOrderId',
      ).catch(asUnknownOrder);
      requireRestriction(parameters, old);
      const { body, replayed } = await this.trading.replace(caller, old.order_id, order);
      if (replayed) throw newOrderRejected('Duplicate order sent.');
      return body;
    } catch (error) {
      const refusal = toBinanceError(error);
      if (refusal.status >= 500 || refusal.status === 429) throw error;
      throw new BinanceError(-2022, 'Order cancel-replace failed.', 400, refusal.headers, {
        cancelResult: 'FAILURE',
        newOrderResult: 'NOT_ATTEMPTED',
        cancelResponse: refusal.body,
        newOrderResponse: null,
      });
    }
  }

  private listed(orders: readonly OrderDto[]): object[] {
    return orders.flatMap((order) => {
      const symbol = this.symbols.ofMarket(order.market_id)?.symbol;
      return symbol === undefined ? [] : [queriedOrderOf(order, symbol)];
    });
  }

  /** Oldest first, of all symbols where none is named. */
  async openOf(caller: Principal, marketId: string | undefined): Promise<OrderDto[]> {
    const selection = { status: LIVE, ...(marketId !== undefined && { market_id: marketId }) };
    const orders = await newestFirst(
      (page) => this.trading.orders(caller, { ...selection, ...page }),
      () => false,
      () => false,
      ALL_OPEN_PAGES,
    );
    return orders.reverse();
  }

  /** By its number or by the client's id; one of another symbol is none. Rejects with `order_not_found`. */
  private async find(
    caller: Principal,
    { marketId }: SymbolMarket,
    parameters: Parameters,
    numberName: string,
    clientIdName: string,
  ): Promise<OrderWithFillsDto> {
    const number = parameters.integer(numberName);
    const clientId = clientOrderIdOf(parameters, clientIdName);
    if (number === undefined && clientId === undefined) throw eitherMandatory(clientIdName, numberName);
    const order =
      number === undefined
        ? await this.called(caller, clientId!)
        : await this.trading.order(caller, ORDER_IDS.format(number));
    const isMeant =
      order.market_id === marketId && (clientId === undefined || clientIdOf(order) === clientId);
    if (!isMeant) throw new ApiError(REFUSALS.order_not_found, 'There is no such order.');
    return order;
  }

  /** By the id that the client gave, or else by our own. */
  private async called(caller: Principal, clientId: string): Promise<OrderWithFillsDto> {
    try {
      return await this.trading.orderByClientOrderId(caller, clientId);
    } catch (error) {
      if (ORDER_IDS.parse(clientId) === undefined || toBinanceError(error).code !== -2013) throw error;
      return this.trading.order(caller, clientId);
    }
  }
}

/** The default depends on the type: what may trade at once tells its fills. */
export function responseTypeOf(parameters: Parameters, type: string): ResponseType {
  const asked = parameters.oneOf('newOrderRespType', ['ACK', 'RESULT', 'FULL'], () =>
    invalidParameter('newOrderRespType'),
  );
  return asked ?? (type === 'limit' || type === 'market' ? 'FULL' : 'ACK');
}

function requireRestriction(parameters: Parameters, { status }: OrderDto): void {
  const restriction = parameters.oneOf(
    'cancelRestrictions',
    ['ONLY_NEW', 'ONLY_PARTIALLY_FILLED'],
    () => new BinanceError(-1145, 'cancelRestrictions has to be either ONLY_NEW or ONLY_PARTIALLY_FILLED.'),
  );
  if (restriction === undefined) return;
  const isPartial = status === 'partially_filled';
  if (isPartial !== (restriction === 'ONLY_PARTIALLY_FILLED')) {
    throw new BinanceError(-2011, 'Order was not canceled due to cancel restrictions.');
  }
}

/** The old order went, and the new one could not be accepted any more. */
function placedNothing({ status_reason: reason }: OrderDto, cancelResponse: object): BinanceError {
  return new BinanceError(
    -2021,
    'Order cancel-replace partially failed.',
    409,
    {},
    {
      cancelResult: 'SUCCESS',
      newOrderResult: 'FAILURE',
      cancelResponse,
      newOrderResponse: newOrderRejected(reason ?? 'Order rejected.').body,
    },
  );
}

function unknownOrder(): BinanceError {
  return new BinanceError(-2011, 'Unknown order sent.');
}

/** In cancellations an order that is not there has another code. */
function asUnknownOrder(error: unknown): never {
  const translated = toBinanceError(error);
  throw translated.code === -2013 ? unknownOrder() : error;
}
