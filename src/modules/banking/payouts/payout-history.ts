import type { History } from '../../../kit/database/with-history.js';

/** See `PayoutStateEntity`. */
export const PAYOUT_HISTORY: History = {
  table: 'payout_states',
  columns: ['payout_id', 'status', 'changed_by', 'code', 'message'],
};
