/** Keys that are bound to one account of their owner's. */
import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import { FORBIDDEN, INSUFFICIENT_SCOPE } from '../http/error-codes.js';
import { ApiErrors } from '../http/api-errors.js';
import { ApiError } from '../http/errors.js';
import { principalOf } from './current-principal.js';
import type { Principal } from './principal.js';

/** What operations that refuse them say in OpenAPI. */
export const BOUND_KEY = FORBIDDEN.means('a key that is bound to one account.');

/** Throws `forbidden` (403) for a key that is bound to one account. */
export function requireUnbound(principal: Principal): void {
  if (principal.isBoundToAccount !== true) return;
  throw new ApiError(
    FORBIDDEN,
    'This key is bound to one account, and this is about all that its owner has.',
  );
}

@Injectable()
class UnboundGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const principal = principalOf(context);
    if (principal !== undefined) requireUnbound(principal);
    return true;
  }
}

/**
 * For routes about what belongs to the owner of accounts as a whole, such as payouts: bound keys get `forbidden`. Routes
 * that declare other reasons for 403 list `BOUND_KEY` among them.
 */
export function RefusesBoundKeys(): MethodDecorator & ClassDecorator {
  return applyDecorators(UseGuards(UnboundGuard), ApiErrors(INSUFFICIENT_SCOPE, BOUND_KEY));
}
