import { statusEvents } from '../../../kit/webhooks/status-events.js';
import { TransferDto } from './transfer.dto.js';
import type { TransferStatus } from './wallet-transfer.entity.js';
import { WALLETS_READ } from '../scopes.js';

/** The webhook events of transfers: one for each status. */
export const TRANSFER_EVENTS = statusEvents<TransferStatus, TransferDto>(
  'transfer',
  { data: TransferDto, scope: WALLETS_READ },
  {
    pending_approval: 'A transfer over a chain was made, and waits for a second person to approve it.',
    pending: 'A transfer over a chain was made or approved, and waits to be sent.',
    broadcasting: 'A transfer was sent to its chain.',
    confirming: 'A transfer is in a block of its chain.',
    completed: 'A transfer has arrived. Who sent it is told with `out`, and whose wallet it is in with `in`.',
    failed: 'A transfer over a chain failed, and what was held for it was given back.',
    rejected: 'A transfer was rejected, and what was held for it was given back.',
    cancelled: 'A transfer was cancelled, and what was held for it was given back.',
  },
);
