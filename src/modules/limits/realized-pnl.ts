import { TEMPORARILY_UNAVAILABLE } from '../../kit/http/error-codes.js';
import { ApiError } from '../../kit/http/errors.js';

/** Where loss limits learn of past profits; the group that keeps fills has them. */
export abstract class RealizedPnl {
  /** What an account had realised, after fees, in all markets of a quote asset by a place in the ledger's sequence. */
  abstract by(accountId: number, asset: string, sequence: number): Promise<bigint>;
}

/** Of a service without that group: no figure is better than a wrong one. */
export class FillsNotKept extends RealizedPnl {
  override by(): Promise<bigint> {
    const message = 'This service is without markets: losses are not known here.';
    return Promise.reject(new ApiError(TEMPORARILY_UNAVAILABLE, message));
  }
}
