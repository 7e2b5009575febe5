import type { KycStatus } from '../kyc-case.entity.js';
import type { CheckResult } from './check-result.js';

/** What an approval without an operator grants. */
export const AUTOMATIC_LEVEL = 1;

interface DecisionRules {
  readonly autoApprove: boolean;
  readonly autoReject: boolean;
  /** Whether an outside provider still has to say what it thinks. */
  readonly awaitsProvider: boolean;
}

/** What becomes of a case by its checks alone. Only what passed all of them is ever approved by nobody. */
export function statusByChecks(
  results: readonly CheckResult[],
  { autoApprove, autoReject, awaitsProvider }: DecisionRules,
): Exclude<KycStatus, 'expired'> {
  if (results.some(({ outcome }) => outcome === 'failed')) return autoReject ? 'rejected' : 'in_review';
  if (awaitsProvider) return 'pending';
  const isClean = results.every(({ outcome }) => outcome === 'passed');
  return isClean && autoApprove ? 'approved' : 'in_review';
}
