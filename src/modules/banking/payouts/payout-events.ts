import type { PayoutStatus } from '../../../domain/banking/payout-states.js';
import { statusEvents } from '../../../kit/webhooks/status-events.js';
import { PayoutDto } from './payout.dto.js';
import { BANKING_READ } from '../scopes.js';

/** The webhook events of payouts: one for each status. */
export const PAYOUT_EVENTS = statusEvents<PayoutStatus, PayoutDto>(
  'payout',
  { data: PayoutDto, scope: BANKING_READ },
  {
    pending_approval: 'A payout was made, and waits for a second person to approve it.',
    pending: 'A payout was made or approved, and waits for the next file to the bank.',
    processing: 'A payout is in a file for the bank.',
    in_transit: 'The bank has taken a payout.',
    paid: 'A payout was paid.',
    failed: 'A payout failed, and its money was given back.',
    returned: 'A payout came back from its bank, and its money was given back.',
    cancelled: 'A payout was cancelled, and its money was given back.',
  },
);
