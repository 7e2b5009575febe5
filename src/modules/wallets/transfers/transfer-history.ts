import type { History } from '../../../kit/database/with-history.js';

/** See `WalletTransferStateEntity`. */
export const TRANSFER_HISTORY: History = {
  table: 'wallet_transfer_states',
  columns: ['transfer_id', 'status', 'changed_by', 'reason'],
};
