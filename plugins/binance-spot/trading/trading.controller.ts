import { Controller, Delete, Get, HttpCode, Post, UseFilters, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, type Principal } from '../../../src/index.js';
import { BinanceErrorFilter } from '../binance-error.filter.js';
import { DialectGuard, SentParameters } from '../dialect.guard.js';
import { ApiList, ApiObject, DialectEndpoint } from '../endpoint.js';
import { Parameters } from '../parameters.js';
import { DialectAccounts } from './accounts.service.js';
import { ORDER_PARAMETERS } from './order-request.js';
import { DialectOrders } from './orders.service.js';

/** Orders and accounts of the dialect. Every request is signed, and held to the scopes of the key that signed it. */
@ApiTags('Binance Spot')
@UseGuards(DialectGuard)
@UseFilters(BinanceErrorFilter)
@Controller('binance/api/v3')
export class TradingController {
  constructor(
    private readonly orders: DialectOrders,
    private readonly accounts: DialectAccounts,
  ) {}

  @Post('order')
  @HttpCode(200)
  @DialectEndpoint({
    summary: 'Place an order',
    weight: 1,
    security: 'TRADE',
    mandatory: ['symbol', 'side', 'type'],
    optional: ORDER_PARAMETERS,
  })
  @ApiObject()
  place(@CurrentPrincipal() caller: Principal, @SentParameters() parameters: Parameters): Promise<object> {
    return this.orders.place(caller, parameters);
  }

  @Post('order/test')
  @HttpCode(200)
  @DialectEndpoint({
    summary: 'Check an order without placing it',
    weight: (parameters) => (/^true$/i.test(parameters.text('computeCommissionRates') ?? '') ? 20 : 1),
    security: 'TRADE',
    mandatory: ['symbol', 'side', 'type'],
    optional: [...ORDER_PARAMETERS, 'computeCommissionRates'],
  })
  @ApiObject()
  test(@CurrentPrincipal() caller: Principal, @SentParameters() parameters: Parameters): Promise<object> {
    return this.orders.test(caller, parameters);
  }

  @Post('order/cancelReplace')
  @HttpCode(200)
  @DialectEndpoint({
    summary: 'Replace an order by another one, in one command',
    weight: 1,
    security: 'TRADE',
    mandatory: ['symbol', 'side', 'type', 'cancelReplaceMode'],
    optional: [
      ...ORDER_PARAMETERS,
      'cancelNewClientOrderId',
      'cancelOrigClientOrderId',
      'cancelOrderId',
      'cancelRestrictions',
    ],
  })
  @ApiObject()
  replace(@CurrentPrincipal() caller: Principal, @SentParameters() parameters: Parameters): Promise<object> {
    return this.orders.cancelReplace(caller, parameters);
  }

  @Get('order')
  @DialectEndpoint({
    summary: 'Get an order',
    weight: 4,
    security: 'USER_DATA',
    mandatory: ['symbol'],
    optional: ['orderId', 'origClientOrderId'],
  })
  @ApiObject()
  get(@CurrentPrincipal() caller: Principal, @SentParameters() parameters: Parameters): Promise<object> {
    return this.orders.get(caller, parameters);
  }

  @Delete('order')
  @DialectEndpoint({
    summary: 'Cancel an order',
    weight: 1,
    security: 'TRADE',
    mandatory: ['symbol'],
    optional: ['orderId', 'origClientOrderId', 'newClientOrderId', 'cancelRestrictions'],
  })
  @ApiObject()
  cancel(@CurrentPrincipal() caller: Principal, @SentParameters() parameters: Parameters): Promise<object> {
    return this.orders.cancel(caller, parameters);
  }

  @Get('openOrders')
  @DialectEndpoint({
    summary: 'List open orders',
    weight: (parameters) => (parameters.has('symbol') ? 6 : 80),
    security: 'USER_DATA',
    optional: ['symbol'],
  })
  @ApiList()
  open(@CurrentPrincipal() caller: Principal, @SentParameters() parameters: Parameters): Promise<object[]> {
    return this.orders.open(caller, parameters);
  }

  @Delete('openOrders')
  @DialectEndpoint({
    summary: 'Cancel all open orders of a symbol',
    weight: 1,
    security: 'TRADE',
    mandatory: ['symbol'],
  })
  @ApiList()
  cancelOpen(
    @CurrentPrincipal() caller: Principal,
    @SentParameters() parameters: Parameters,
  ): Promise<object[]> {
    return this.orders.cancelOpen(caller, parameters);
  }

  @Get('allOrders')
  @DialectEndpoint({
    summary: 'List orders of a symbol',
    weight: 20,
    security: 'USER_DATA',
    mandatory: ['symbol'],
    optional: ['orderId', 'startTime', 'endTime', 'limit'],
  })
  @ApiList()
  all(@CurrentPrincipal() caller: Principal, @SentParameters() parameters: Parameters): Promise<object[]> {
    return this.orders.all(caller, parameters);
  }

  @Get('account')
  @DialectEndpoint({
    summary: "The caller's account",
    weight: 20,
    security: 'USER_DATA',
    optional: ['omitZeroBalances'],
  })
  @ApiObject()
  account(@CurrentPrincipal() caller: Principal, @SentParameters() parameters: Parameters): Promise<object> {
    return this.accounts.account(caller, parameters);
  }

  @Get('account/commission')
  @DialectEndpoint({
    summary: 'What the caller pays for trades in a symbol',
    weight: 20,
    security: 'USER_DATA',
    mandatory: ['symbol'],
  })
  @ApiObject()
  commission(
    @CurrentPrincipal() caller: Principal,
    @SentParameters() parameters: Parameters,
  ): Promise<object> {
    return this.accounts.commission(caller, parameters);
  }

  @Get('myTrades')
  @DialectEndpoint({
    summary: "The caller's trades",
    weight: (parameters) => (parameters.has('orderId') ? 5 : 20),
    security: 'USER_DATA',
    mandatory: ['symbol'],
    optional: ['orderId', 'startTime', 'endTime', 'fromId', 'limit'],
  })
  @ApiList()
  trades(@CurrentPrincipal() caller: Principal, @SentParameters() parameters: Parameters): Promise<object[]> {
    return this.accounts.trades(caller, parameters);
  }
}
