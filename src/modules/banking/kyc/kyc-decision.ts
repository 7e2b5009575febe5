import { CONFLICT, UNPROCESSABLE } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { KycCaseEntity } from './kyc-case.entity.js';
import type { KycDecisionDto } from './kyc-decision.dto.js';

/** Nobody can approve a person who is too young, or with an expired document. */
const NEVER_APPROVED = ['age', 'document_expiry'] as const;

/**
 * Throws `conflict` (409) for a case that is decided, `unprocessable` (422) for an approval that no operator
 * may give, and `validation_failed` (400) for a rejection with a level.
 */
export function requireDecidable(
  kyc: KycCaseEntity,
  { decision, level }: Pick<KycDecisionDto, 'decision' | 'level'>,
): void {
  const isOpen = kyc.status === 'pending' || kyc.status === 'in_review';
  const takesBack = kyc.status === 'approved' && decision === 'rejected';
  if (!isOpen && !takesBack) {
    throw new ApiError(CONFLICT, `The case is ${kyc.status}; there is nothing to decide.`);
  }
  if (decision === 'rejected') {
    if (level === undefined) return;
    throw ApiError.validation([{ field: 'level', message: 'level must only be sent with an approval' }]);
  }
  const failed = kyc.checks.find(
    ({ check, outcome }) => outcome === 'failed' && NEVER_APPROVED.some((never) => never === check),
  );
  if (failed) {
    throw new ApiError(UNPROCESSABLE, `The case cannot be approved: the check \`${failed.check}\` failed.`);
  }
  if (kyc.erasedAt !== null) throw new ApiError(UNPROCESSABLE, 'The data of the case was erased.');
}
