import { statusEvents } from '../../../kit/webhooks/status-events.js';
import type { KycStatus } from './kyc-case.entity.js';
import { KycDto } from './kyc.dto.js';
import { BANKING_READ } from '../scopes.js';

/** The webhook events of KYC cases: one for each status. */
export const KYC_EVENTS = statusEvents<KycStatus, KycDto>(
  'kyc',
  { data: KycDto, scope: BANKING_READ },
  {
    pending: 'A KYC case waits for an outside provider.',
    in_review: 'A KYC case waits for an operator.',
    approved: 'A KYC case was approved.',
    rejected: 'A KYC case was rejected.',
    expired: 'A KYC case ended: its document expired, a newer case took its place, or it was erased.',
  },
);
