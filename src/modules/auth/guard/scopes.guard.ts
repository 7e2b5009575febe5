import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { insufficientScope } from '../../../kit/security/challenges.js';
import { type CredentialPolicy, credentialPolicyOf } from '../../../kit/security/credential-policy.js';
import { principalOf } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { grants, type ScopeRequirement } from '../../../kit/security/scope.js';

/** Admits a principal with sufficient scopes; throws `insufficient_scope` (403) otherwise. */
@Injectable()
export class ScopesGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const policy = credentialPolicyOf(context.getClass(), context.getHandler());
    const principal = principalOf(context);
    const requirement = policy && requirementOf(policy, principal);
    if (requirement === undefined || (principal && grants(principal.scopes, requirement))) return true;
    throw insufficientScope(requirement);
  }
}

/** The required scopes for this principal; `undefined` if none. */
function requirementOf(
  policy: CredentialPolicy,
  principal: Principal | undefined,
): ScopeRequirement | undefined {
  const isApiKey = principal?.kind === 'api_key';
  if (policy.access === 'scopes') return isApiKey && policy.orAnyApiKey ? undefined : policy.requirement;
  if (policy.access === 'public' || !isApiKey || policy.apiKeyScope === undefined) return undefined;
  return { anyOf: [policy.apiKeyScope] };
}
