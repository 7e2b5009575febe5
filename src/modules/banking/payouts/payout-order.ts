import type { TimedOrder, TimedPlace } from '../../../kit/http/pagination.js';
import type { PayoutEntity } from './payout.entity.js';

/** The order of all lists of payouts, of the alias `p`. */
export const PAYOUT_ORDER: TimedOrder = { time: 'p.created_at', id: 'p.payout_id' };

export function placeOfPayout({ createdAt, payoutId }: PayoutEntity): TimedPlace {
  return [createdAt.getTime(), Number(payoutId)];
}
