import { REFUSALS } from '../accounts/commands/refusals.js';
import type { ErrorCode } from '../../kit/http/error-code.js';

/** What whatever may open something is refused with by the owner's own limits. */
export const OF_SELF_LIMITS: readonly ErrorCode[] = [
  REFUSALS.self_excluded.means('the owner is excluded by their own wish.'),
  REFUSALS.self_limits_changed.means('the limits of the account changed at the same moment; send it again.'),
  REFUSALS.self_limit_exceeded.means('it is more than the limits leave that the owner has set.'),
];
