import { Controller, Delete, Get, HttpCode, Post, UseFilters, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, type Principal } from '../../../src/index.js';
import { BinanceErrorFilter } from '../binance-error.filter.js';
import { DialectGuard, SentParameters } from '../dialect.guard.js';
import { ApiList, ApiObject, DialectEndpoint } from '../endpoint.js';
import { Parameters } from '../parameters.js';
import { OCO_PARAMETERS, OLDER_OCO_PARAMETERS } from './list-request.js';
import { DialectOrderLists } from './order-lists.service.js';

/** Order lists of the dialect, signed as its orders are. */
@ApiTags('Binance Spot')
@UseGuards(DialectGuard)
@UseFilters(BinanceErrorFilter)
@Controller('binance/api/v3')
export class OrderListsController {
  constructor(private readonly lists: DialectOrderLists) {}

  @Post('orderList/oco')
  @HttpCode(200)
  @DialectEndpoint({
    summary: 'Place two orders of which one cancels the other',
    weight: 1,
    security: 'TRADE',
    mandatory: ['symbol', 'side', 'quantity', 'aboveType', 'belowType'],
    optional: OCO_PARAMETERS,
  })
  @ApiObject()
  place(@CurrentPrincipal() caller: Principal, @SentParameters() parameters: Parameters): Promise<object> {
    return this.lists.placeOco(caller, parameters);
  }

  @Post('order/oco')
  @HttpCode(200)
  @DialectEndpoint({
    summary: 'Place two orders of which one cancels the other, in the form from before',
    weight: 1,
    security: 'TRADE',
    mandatory: ['symbol', 'side', 'quantity', 'price', 'stopPrice'],
    optional: OLDER_OCO_PARAMETERS,
  })
  @ApiObject()
  placeOlder(
    @CurrentPrincipal() caller: Principal,
    @SentParameters() parameters: Parameters,
  ): Promise<object> {
    return this.lists.placeOlderOco(caller, parameters);
  }

  @Get('orderList')
  @DialectEndpoint({
    summary: 'Query an order list',
    weight: 4,
    security: 'USER_DATA',
    optional: ['orderListId', 'origClientOrderId'],
  })
  @ApiObject()
  get(@CurrentPrincipal() caller: Principal, @SentParameters() parameters: Parameters): Promise<object> {
    return this.lists.get(caller, parameters);
  }

  @Delete('orderList')
  @DialectEndpoint({
    summary: 'Cancel an order list',
    weight: 1,
    security: 'TRADE',
    mandatory: ['symbol'],
    optional: ['orderListId', 'listClientOrderId', 'newClientOrderId'],
  })
  @ApiObject()
  cancel(@CurrentPrincipal() caller: Principal, @SentParameters() parameters: Parameters): Promise<object> {
    return this.lists.cancel(caller, parameters);
  }

  @Get('allOrderList')
  @DialectEndpoint({
    summary: 'List order lists',
    weight: 20,
    security: 'USER_DATA',
    optional: ['fromId', 'startTime', 'endTime', 'limit'],
  })
  @ApiList()
  all(@CurrentPrincipal() caller: Principal, @SentParameters() parameters: Parameters): Promise<object[]> {
    return this.lists.all(caller, parameters);
  }

  @Get('openOrderList')
  @DialectEndpoint({ summary: 'List open order lists', weight: 6, security: 'USER_DATA' })
  @ApiList()
  open(@CurrentPrincipal() caller: Principal): Promise<object[]> {
    return this.lists.open(caller);
  }
}
