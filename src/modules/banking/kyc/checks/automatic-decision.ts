import type { KycStatus } from '../kyc-case.entity.js';
import type { CheckResult } from './check-result.js';

/** The KYC level of an automatic approval. */
export const AUTOMATIC_LEVEL = 1;

interface DecisionRules {
  readonly autoApprove: boolean;
  readonly autoReject: boolean;
  /** Whether an outside provider has yet to answer. */
  readonly awaitsProvider: boolean;
}

/** The status of a case after its checks. Only a case that passed all of them is approved without an operator. */
export function statusByChecks(
  results: readonly CheckResult[],
  { autoApprove, autoReject, awaitsProvider }: DecisionRules,
): Exclude<KycStatus, 'expired'> {
  if (results.some(({ outcome }) => outcome === 'failed')) return autoReject ? 'rejected' : 'in_review';
  if (awaitsProvider) return 'pending';
  const isClean = results.every(({ outcome }) => outcome === 'passed');
  return isClean && autoApprove ? 'approved' : 'in_review';
}
