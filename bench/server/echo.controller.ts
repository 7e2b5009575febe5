import { Body, Controller, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { OrderWithFillsDto } from '../../src/modules/markets/orders/order.dto.js';
import { PlaceOrderDto } from '../../src/modules/markets/orders/place-order.dto.js';
import { IdempotencyKeyHeader } from '../../src/kit/http/idempotency/idempotency-key.js';
import { RequireScopes } from '../../src/kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../src/kit/security/current-principal.js';
import type { Principal } from '../../src/kit/security/principal.js';
import { MARKETS_TRADE } from '../../src/modules/markets/names/scopes.js';

/**
 * `POST /orders` without the order: the same guard, parameters and DTO, and an answer of the same shape and size. Only
 * the placing of an order is missing.
 */
@ApiTags('Bench')
@Controller('bench/echo')
export class EchoController {
  private sequence = 0;

  @Post()
  @RequireScopes({ anyOf: [MARKETS_TRADE] })
  echo(
    @CurrentPrincipal() principal: Principal,
    @Body() body: PlaceOrderDto,
    @IdempotencyKeyHeader() _key: string | undefined,
    @Res({ passthrough: true }) _response: Response,
  ): OrderWithFillsDto {
    return answerTo(body, principal, ++this.sequence);
  }
}

/** Every other order, the taker, has a fill: as in the orders that the bench sends. */
function answerTo(body: PlaceOrderDto, principal: Principal, sequence: number): OrderWithFillsDto {
  const now = new Date().toISOString();
  const orderId = `ord_${String(sequence).padStart(11, '0')}`;
  const isTaker = body.side === 'buy';
  const size = body.size!;
  return {
    order_id: orderId,
    account_id: body.account_id ?? `acc_${String(principal.accountId).padStart(11, '0')}`,
    client_order_id: body.client_order_id ?? null,
    market_id: body.market_id,
    side: body.side,
    type: body.type,
    time_in_force: body.time_in_force ?? 'GTC',
    price: body.price ?? null,
    stop_price: null,
    best_price: null,
    trigger: null,
    trailing_offset: null,
    trailing_percent: null,
    size,
    quote_size: null,
    display_size: null,
    order_list_id: null,
    origin: null,
    expires_at: null,
    post_only: false,
    reduce_only: false,
    self_trade_prevention: 'cancel_newest',
    status: isTaker ? 'filled' : 'open',
    status_reason: null,
    filled_size: isTaker ? size : '0',
    remaining_size: isTaker ? '0' : size,
    average_fill_price: isTaker ? (body.price ?? null) : null,
    fees: '0',
    created_at: now,
    updated_at: now,
    sequence,
    fills: isTaker
      ? [
          {
            fill_id: `fil_${String(sequence).padStart(11, '0')}`,
            trade_id: `trd_${String(sequence).padStart(11, '0')}`,
            order_id: orderId,
            market_id: body.market_id,
            side: body.side,
            price: body.price ?? '0',
            size,
            fee: '0',
            fee_asset: 'USD',
            liquidity: 'taker',
            executed_at: now,
            sequence,
          },
        ]
      : [],
  };
}
