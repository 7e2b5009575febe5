import 'reflect-metadata';
import { describe, expect, it } from 'vitest';
import { ApiErrors, type DocumentedError } from './api-errors.js';

/** The metadata key of Nest's Swagger module for a route's responses. */
const RESPONSES = 'swagger/apiResponse';

/** The documented errors of a route, by status. */
function described(...errors: DocumentedError[]): Record<string, string> {
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
    expect(described('order_not_found', 'order_not_open', 'rate_limited')).toEqual({
      404: '`order_not_found`',
      409: '`order_not_open`',
      429: '`rate_limited`',
    });
  });

  it('lists the codes of one status in the order given', () => {
    expect(described('market_not_found', 'invalid_tick', 'account_not_found')).toEqual({
      404: '`market_not_found`, `account_not_found`',
      422: '`invalid_tick`',
    });
  });

  it('says what codes mean for the route', () => {
    expect(
      described(
        'conflict: the id is taken.',
        'quote_expired',
        'market_not_open',
        'quote_stale: the book has moved; see `GET /quotes`.',
      ),
    ).toEqual({
      409: '`conflict`: the id is taken; `quote_expired`, `market_not_open`; `quote_stale`: the book has moved; see `GET /quotes`.',
    });
  });
});
