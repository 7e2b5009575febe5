import { type ApprovalEntity, approvalIdOf } from '../../../kit/approvals/approval.entity.js';
import type { IdempotencyKey } from '../../../core/core.types.js';

/** The key under which the core carries out what was approved: once, however often it is repeated. */
export function approvedKey(approval: Pick<ApprovalEntity, 'approvalId' | 'kind'>): IdempotencyKey {
  return {
    owner: 'approval',
    key: approvalIdOf(approval),
    fingerprint: approval.kind,
    keptForGood: true,
  };
}
