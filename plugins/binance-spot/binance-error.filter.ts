import { Catch, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { type ApiError, toApiError } from '../../src/index.js';
import { BinanceError, invalidSymbol, newOrderRejected } from './binance-error.js';

/** What the dialect says where the service says this; what is not listed has its own words. */
const TRANSLATIONS: ReadonlyMap<string, () => BinanceError> = new Map([
  ['malformed_request', () => new BinanceError(-1100, 'Illegal characters found in a parameter.')],
  ['market_not_found', invalidSymbol],
  ['invalid_api_key', rejectedKey],
  ['insufficient_scope', rejectedKey],
  ['market_not_allowed', () => newOrderRejected('This symbol is not permitted for this account.')],
  ['signature_invalid', invalidSignature],
  ['signature_replayed', invalidSignature],
  ['rate_limited', () => new BinanceError(-1003, 'Too many requests queued.', 429)],
  ['too_many_in_flight', () => new BinanceError(-1003, 'Too many requests queued.', 429)],
  ['insufficient_funds', () => newOrderRejected('Account has insufficient balance for requested action.')],
  ['market_not_open', () => newOrderRejected('Market is closed.')],
  ['duplicate_client_order_id', () => newOrderRejected('Duplicate order sent.')],
  ['post_only_would_cross', () => newOrderRejected('Order would immediately match and take.')],
  ['account_frozen', () => newOrderRejected('This account may not place or cancel orders.')],
  ['invalid_tick', () => filterFailure('PRICE_FILTER')],
  ['price_out_of_range', () => filterFailure('PRICE_FILTER')],
  ['invalid_lot', () => filterFailure('LOT_SIZE')],
  ['size_out_of_range', () => filterFailure('LOT_SIZE')],
  ['min_notional', () => filterFailure('MIN_NOTIONAL')],
  ['too_many_open_orders', () => filterFailure('MAX_NUM_ORDERS')],
  ['order_not_found', () => new BinanceError(-2013, 'Order does not exist.')],
  ['order_not_open', () => new BinanceError(-2011, 'Unknown order sent.')],
  ['payload_too_large', () => new BinanceError(-1000, 'The request is too large.', 413)],
  [
    'outcome_unknown',
    () =>
      new BinanceError(
        -1007,
        'Timeout waiting for response from backend server. Send status unknown; execution status unknown.',
        503,
      ),
  ],
  [
    'temporarily_unavailable',
    () =>
      new BinanceError(
        -1008,
        'Server is currently overloaded with other requests. Please try again in a few minutes.',
        503,
      ),
  ],
  [
    'internal_error',
    () => new BinanceError(-1000, 'An unknown error occurred while processing the request.', 500),
  ],
]);

function invalidSignature(): BinanceError {
  return new BinanceError(-1022, 'Signature for this request is not valid.');
}

function rejectedKey(): BinanceError {
  return new BinanceError(-2015, 'Invalid API-key, IP, or permissions for action.', 401);
}

function filterFailure(filter: string): BinanceError {
  return new BinanceError(-1013, `Filter failure: ${filter}`);
}

/** Whatever was thrown, as the dialect says it. */
export function toBinanceError(thrown: unknown): BinanceError {
  return thrown instanceof BinanceError ? thrown : translated(toApiError(thrown));
}

function translated(error: ApiError): BinanceError {
  const known = TRANSLATIONS.get(error.code)?.();
  if (known !== undefined) {
    return new BinanceError(known.code, known.message, known.status, error.headers);
  }
  const code = error.status === 422 || error.status === 409 ? -2010 : error.status < 500 ? -1013 : -1000;
  const status = error.status === 422 || error.status === 409 ? 400 : error.status;
  return new BinanceError(code, error.message, status, error.headers);
}

/** Answers failures of the dialect's routes, those of the service's guards included, in the dialect's form. */
@Catch()
export class BinanceErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Binance');

  catch(thrown: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const error = toBinanceError(thrown);
    if (error.status >= 500) this.logger.warn({ err: thrown, msg: error.message });
    if (response.headersSent) {
      response.destroy();
      return;
    }
    for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
    response.status(error.status).json(error.body);
  }
}
