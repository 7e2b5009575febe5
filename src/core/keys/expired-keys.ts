import type { PurgedRows } from '../../kit/jobs/purges.js';

/** Idempotency keys whose time is over. They count as absent already. */
export const EXPIRED_KEYS: PurgedRows = {
  table: 'command_keys',
  key: ['owner', 'key'],
  over: 'expires_at < now()',
  orderBy: 'expires_at',
};
