import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PlaceOrderDto } from '../../src/modules/markets/orders/place-order.dto.js';
import { RequireScopes } from '../../src/kit/security/credential-policy.js';
import { type PlacedOrder, TypeOrmBaseline } from '../typeorm-baseline.js';
import { MARKETS_TRADE } from '../../src/modules/markets/names/scopes.js';

/** `POST /orders` as the baseline does it, behind the same guard and the same validation. */
@ApiTags('Bench')
@Controller('bench/typeorm-orders')
export class TypeOrmOrdersController {
  constructor(private readonly baseline: TypeOrmBaseline) {}

  @Post()
  @RequireScopes({ anyOf: [MARKETS_TRADE] })
  place(@Body() body: PlaceOrderDto): Promise<PlacedOrder> {
    return this.baseline.place(body);
  }
}
