import { Controller, Delete, Get, Post } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import { describe, expect, it } from 'vitest';
import type { DeclaredRoute, DeclaredRoutes } from './declared-routes.js';
import { NearRoutes } from './near-routes.js';

@Controller()
class OrdersController {
  @Get()
  get(): void {}

  @Post()
  place(): void {}

  @Delete()
  cancel(): void {}

  @Get()
  @ApiExcludeEndpoint()
  secret(): void {}
}

const { prototype } = OrdersController;
const routeOf = (method: string, path: string, handler: object): DeclaredRoute => ({
  controller: OrdersController,
  handler: handler as DeclaredRoute['handler'],
  method,
  paths: [path],
  name: '',
});
const routes: DeclaredRoute[] = [
  routeOf('DELETE', '/orders/:order_id', prototype.cancel),
  routeOf('GET', '/orders/:order_id', prototype.get),
  routeOf('POST', '/orders', prototype.place),
  routeOf('GET', '/health', prototype.get),
  routeOf('GET', '/markets/:market_id/orderbook', prototype.get),
  routeOf('GET', '/orders-of-nobody', prototype.secret),
];
const near = new NearRoutes({ all: () => routes } as unknown as DeclaredRoutes);

describe('routes near to a path that is none', () => {
  it.each([
    ['POST', '/order', ['POST /orders']],
    ['GET', '/ORDER/ord_1', ['GET /orders/{order_id}', 'DELETE /orders/{order_id}']],
    ['GET', '/market/BTC-USD/orderbook', ['GET /markets/{market_id}/orderbook']],
    ['GET', '/orders-of-nobody1', []],
    ['GET', '/nowhere', []],
    ['GET', '/', []],
    ['GET', `/orders/${'x'.repeat(10_000)}`, []],
    ['GET', '/\u202eorders\u0000/%zz', ['GET /orders/{order_id}', 'DELETE /orders/{order_id}']],
  ])('are, for %s %s, %j', (method, path, expected) => {
    expect(near.of(method, path)).toEqual(expected);
  });
});
