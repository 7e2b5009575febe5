import type { DocumentedError } from '../../kit/http/api-errors.js';

/** What whatever may open something is refused with by the owner's own limits. */
export const OF_SELF_LIMITS: readonly DocumentedError[] = [
  'self_excluded: the owner is excluded by their own wish.',
  'self_limits_changed: the limits of the account changed at the same moment; send it again.',
  'self_limit_exceeded: it is more than the limits leave that the owner has set.',
];
