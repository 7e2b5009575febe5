import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { insufficientScope } from '../../../platform/security/challenges.js';
import { credentialPolicyOf } from '../../../platform/security/credentials.js';
import { principalOf } from '../../../platform/security/current-principal.js';
import { grants } from '../../../platform/security/scopes.js';

/** Lets through a known principal whose scopes suffice; throws `insufficient_scope` (403) otherwise. */
@Injectable()
export class ScopesGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const policy = credentialPolicyOf(context.getClass(), context.getHandler());
    if (policy?.access !== 'scopes') return true;
    const principal = principalOf(context);
    if (principal && grants(principal.scopes, policy.requirement)) return true;
    if (principal?.kind === 'api_key' && policy.orAnyApiKey) return true;
    throw insufficientScope(policy.requirement);
  }
}
