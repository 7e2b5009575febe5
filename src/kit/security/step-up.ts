/** Acts that a stolen session must not suffice for: they take somebody who has just proved to be there. */
import type { ErrorCode } from '../http/error-code.js';
import { STEP_UP_REQUIRED } from '../http/error-codes.js';
import { ApiError } from '../http/errors.js';
import { isInPerson, isSecondFactor, type Principal } from './principal.js';

/** For how long a proof counts. */
const PROOF_STANDS_FOR_MS = 5 * 60_000;

/** What operations that may need it say in OpenAPI. */
export const NEEDS_STEP_UP = STEP_UP_REQUIRED.means(
  'a session whose user proved to be there over five minutes ago; see `POST /user/step-up`.',
);

/** The same where not every call needs it. */
export function needsStepUp(when: string): ErrorCode {
  return STEP_UP_REQUIRED.means(`${NEEDS_STEP_UP.meaning} ${when}`);
}

/** Whether who proved to be there then is still taken to be there. */
export function isRecent(provedAt: Date): boolean {
  // A clock that was set back makes a proof one of the future, which is none of the last minutes either.
  return Math.abs(Date.now() - provedAt.getTime()) <= PROOF_STANDS_FOR_MS;
}

/**
 * Throws `step_up_required` (403) where a user in person has not proved to be there within five minutes: by the second
 * factor where the user has one, by the password otherwise. What acts for a user by a key or a client is as trusted as
 * it was when it was made.
 */
export function requireStepUp(principal: Principal): void {
  if (!isInPerson(principal)) return;
  const { proof, hasSecondFactor } = principal;
  const isEnough = proof !== undefined && (isSecondFactor(proof.by) || hasSecondFactor !== true);
  if (isEnough && isRecent(proof.at)) return;
  if (isByIdentity(principal)) {
    throw new ApiError(STEP_UP_REQUIRED, 'Log in again as you did, and send this again within five minutes.');
  }
  const what = hasSecondFactor === true ? 'your second factor' : 'your password';
  throw new ApiError(
    STEP_UP_REQUIRED,
    `Send ${what} to POST /user/step-up, and this again within five minutes.`,
  );
}

/** Whether who is logged in by an outside identity has nothing else to prove to be there by, but a new log-in. */
function isByIdentity({ proof, hasSecondFactor }: Principal): boolean {
  return hasSecondFactor !== true && (proof?.by === 'identity' || proof?.by === 'identity_factor');
}
