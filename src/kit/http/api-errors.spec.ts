import { ErrorCode } from './error-code.js';
import 'reflect-metadata';
import { describe, expect, it } from 'vitest';
import { RATE_LIMITED, CONFLICT } from './error-codes.js';
import { ApiErrors } from './api-errors.js';

const ACCOUNT_NOT_FOUND = new ErrorCode('account_not_found', 404);
const INVALID_TICK = new ErrorCode('invalid_tick', 422);
const MARKET_NOT_FOUND = new ErrorCode('market_not_found', 404);
const MARKET_NOT_OPEN = new ErrorCode('market_not_open', 409);
const ORDER_NOT_FOUND = new ErrorCode('order_not_found', 404);
const ORDER_NOT_OPEN = new ErrorCode('order_not_open', 409);
const QUOTE_EXPIRED = new ErrorCode('quote_expired', 409);
const QUOTE_STALE = new ErrorCode('quote_stale', 409);

/** The metadata key of Nest's Swagger module for a route's responses. */
const RESPONSES = 'swagger/apiResponse';

/** The documented errors of a route, by status. */
function described(...errors: ErrorCode[]): Record<string, string> {
  class Routes {
    @ApiErrors(...errors)
    route(): void {}
  }
  const { route } = Routes.prototype;
  const responses = Reflect.getMetadata(RESPONSES, route) as Record<string, { description: string }>;
  return Object.fromEntries(
    Object.entries(responses).map(([status, { description }]) => [status, description]),
  );
}

describe('ApiErrors', () => {
  it('puts each code under its status', () => {
    expect(described(ORDER_NOT_FOUND, ORDER_NOT_OPEN, RATE_LIMITED)).toEqual({
      404: '`order_not_found`',
      409: '`order_not_open`',
      429: '`rate_limited`',
    });
  });

  it('lists the codes of one status in the order given', () => {
    expect(described(MARKET_NOT_FOUND, INVALID_TICK, ACCOUNT_NOT_FOUND)).toEqual({
      404: '`market_not_found`, `account_not_found`',
      422: '`invalid_tick`',
    });
  });

  it('says what codes mean for the route', () => {
    expect(
      described(
        CONFLICT.means('the id is taken.'),
        QUOTE_EXPIRED,
        MARKET_NOT_OPEN,
        QUOTE_STALE.means('the book has moved; see `GET /quotes`.'),
      ),
    ).toEqual({
      409: '`conflict`: the id is taken; `quote_expired`, `market_not_open`; `quote_stale`: the book has moved; see `GET /quotes`.',
    });
  });
});
