import type { IdempotencyKey } from '../../../core/core.types.js';
import { fingerprintOf } from '../../../kit/http/idempotency/idempotency-key.js';
import type { Principal } from '../../../kit/security/principal.js';

/** What the core keeps of a request that came with an `Idempotency-Key`; `undefined` where none came. */
export function idempotencyOf(
  principal: Principal,
  key: string | undefined,
  route: string,
  body: unknown,
): IdempotencyKey | undefined {
  if (key === undefined) return undefined;
  return { owner: principal.key, key, fingerprint: fingerprintOf('POST', route, body) };
}
