import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  ORDER_LIST_NOT_FOUND,
  ApiError,
  Trading,
  type OrderListDto,
  type PlaceOrderListDto,
  type Principal,
  ORDER_LIST_IDS,
} from '../../../src/index.js';
import { BinanceError, eitherMandatory, newOrderRejected } from '../binance-error.js';
import type { Parameters } from '../parameters.js';
import { SymbolsService } from '../symbols.service.js';
import { LIMIT_MAX, periodOf } from '../trades.service.js';
import { placeOcoOf, placeOlderOcoOf } from './list-request.js';
import { clientListIdOf, orderListOf } from './list-response.js';
import { ALL_OPEN_PAGES, HISTORY_PAGES, newestFirst } from './newest-first.js';
import { clientOrderIdOf } from './order-request.js';
import { cancelledOrderOf, listNumberOf, placedOrderOf } from './order-response.js';
import { DialectOrders, responseTypeOf } from './orders.service.js';

const LIMIT_DEFAULT = 500;
/** What a pair takes from the budget of orders. */
const ORDERS_PER_OCO = 2;

/** Pairs of orders, of which one cancels the other. */
@Injectable()
export class DialectOrderLists {
  constructor(
    private readonly trading: Trading,
    private readonly symbols: SymbolsService,
    private readonly orders: DialectOrders,
  ) {}

  placeOco(caller: Principal, parameters: Parameters): Promise<object> {
    return this.place(caller, parameters, placeOcoOf);
  }

  placeOlderOco(caller: Principal, parameters: Parameters): Promise<object> {
    return this.place(caller, parameters, placeOlderOcoOf);
  }

  async cancel(caller: Principal, parameters: Parameters): Promise<object> {
    const { marketId, symbol } = this.symbols.get(parameters.symbol());
    const cancelId = clientOrderIdOf(parameters, 'newClientOrderId') ?? randomUUID();
    const list = await this.find(caller, parameters, 'listClientOrderId').catch(asUnknownList);
    if (list.market_id !== marketId) throw unknownList();
    await this.trading.spend(caller);
    const cancelled = await this.trading.cancelList(caller, list.order_list_id).catch(asUnknownList);
    return {
      ...orderListOf(cancelled, symbol),
      orderReports: cancelled.orders.map((order) => cancelledOrderOf(order, symbol, cancelId)),
    };
  }

  /** Throws -2013 where there is none. */
  async get(caller: Principal, parameters: Parameters): Promise<object> {
    const list = await this.find(caller, parameters, 'origClientOrderId').catch(asNoSuchList);
    const symbol = this.symbols.ofMarket(list.market_id)?.symbol;
    if (symbol === undefined) throw noSuchList();
    return orderListOf(list, symbol);
  }

  /** Oldest first: the latest, those of a time, or those from a list on. */
  async all(caller: Principal, parameters: Parameters): Promise<object[]> {
    const limit = parameters.limit(LIMIT_DEFAULT, LIMIT_MAX);
    const from = parameters.integer('fromId');
    const { from: startTime, to: endTime } = periodOf(parameters);
    const isFromOldest = from !== undefined || startTime !== undefined;
    const newest = await newestFirst(
      (page) => this.trading.orderLists(caller, page),
      (found) => !isFromOldest && endTime === undefined && found.length >= limit,
      (list) =>
        (from !== undefined && listNumberOf(list) < from) ||
        (startTime !== undefined && list.created_at < startTime),
      HISTORY_PAGES,
    );
    const lists = newest.reverse().filter(({ created_at: at }) => endTime === undefined || at < endTime);
    return this.listed(isFromOldest ? lists.slice(0, limit) : lists.slice(-limit));
  }

  /** Oldest first. */
  async open(caller: Principal): Promise<object[]> {
    const orders = await this.orders.openOf(caller, undefined);
    const numbers = orders.filter((order) => order.order_list_id !== null).map(listNumberOf);
    if (numbers.length === 0) return [];
    const oldest = Math.min(...numbers);
    const lists = await newestFirst(
      (page) => this.trading.orderLists(caller, page),
      () => false,
      (list) => listNumberOf(list) < oldest,
      ALL_OPEN_PAGES,
    );
    return this.listed(lists.reverse().filter(({ status }) => status === 'open'));
  }

  private async place(
    caller: Principal,
    parameters: Parameters,
    listOf: (parameters: Parameters, marketId: string) => PlaceOrderListDto,
  ): Promise<object> {
    const { marketId, symbol } = this.symbols.get(parameters.symbol());
    const list = listOf(parameters, marketId);
    const type = responseTypeOf(parameters, 'limit');
    await this.trading.spend(caller, ORDERS_PER_OCO);
    const { body, replayed } = await this.trading.placeList(caller, list);
    // A repeat would hide from the client that its list is older than it believes.
    if (replayed) throw newOrderRejected('Duplicate order sent.');
    return {
      ...orderListOf(body, symbol),
      orderReports: body.orders.map((order) => placedOrderOf(order, symbol, type)),
    };
  }

  /** By its number or by the client's id. Rejects with `order_list_not_found`. */
  private async find(caller: Principal, parameters: Parameters, clientIdName: string): Promise<OrderListDto> {
    const number = parameters.integer('orderListId');
    const clientId = clientOrderIdOf(parameters, clientIdName);
    if (number === undefined && clientId === undefined) throw eitherMandatory(clientIdName, 'orderListId');
    const list =
      number === undefined
        ? await this.called(caller, clientId!)
        : await this.trading.orderList(caller, ORDER_LIST_IDS.format(number));
    if (clientId !== undefined && clientListIdOf(list) !== clientId) throw listNotFound();
    return list;
  }

  /** By the id that the client gave, among the latest, or else by our own. */
  private async called(caller: Principal, clientId: string): Promise<OrderListDto> {
    const isCalledSo = ({ client_order_list_id: id }: OrderListDto): boolean => id === clientId;
    const lists = await newestFirst(
      (page) => this.trading.orderLists(caller, page),
      (found) => found.some(isCalledSo),
      () => false,
      HISTORY_PAGES,
    );
    const list = lists.find(isCalledSo);
    if (list !== undefined) return list;
    if (ORDER_LIST_IDS.parse(clientId) === undefined) throw listNotFound();
    return this.trading.orderList(caller, clientId);
  }

  private listed(lists: readonly OrderListDto[]): object[] {
    return lists.flatMap((list) => {
      const symbol = this.symbols.ofMarket(list.market_id)?.symbol;
      return symbol === undefined ? [] : [orderListOf(list, symbol)];
    });
  }
}

function listNotFound(): ApiError {
  return new ApiError(ORDER_LIST_NOT_FOUND, 'There is no such order list.');
}

function noSuchList(): BinanceError {
  return new BinanceError(-2013, 'Order list does not exist.');
}

function unknownList(): BinanceError {
  return new BinanceError(-2011, 'Unknown order list sent.');
}

function asNoSuchList(error: unknown): never {
  throw isAbsent(error) ? noSuchList() : error;
}

function asUnknownList(error: unknown): never {
  throw isAbsent(error) ? unknownList() : error;
}

function isAbsent(error: unknown): boolean {
  return error instanceof ApiError && /^order_list_not_(found|open)$/.test(error.code);
}
