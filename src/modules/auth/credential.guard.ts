import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError } from '../../platform/http/errors.js';
import { authenticationRequired } from '../../platform/security/challenges.js';
import { credentialPolicyOf } from '../../platform/security/credentials.js';
import { ApiKeyGuard } from './guard/api-key.guard.js';
import { API_KEY_HEADER } from './guard/api-key.strategy.js';
import { BearerGuard } from './guard/bearer.guard.js';
import { ScopesGuard } from './guard/scopes.guard.js';

const BEARER_SCHEME = /^bearer(?: |$)/i;

/**
 * The one global guard. It only composes: a bearer token decides where there is one, else an API key;
 * then the scopes. What declares no policy is refused, here as at start.
 * Throws `authentication_required`, `invalid_token`, `invalid_api_key` (401), `insufficient_scope` (403).
 */
@Injectable()
export class CredentialGuard implements CanActivate {
  constructor(
    private readonly bearer: BearerGuard,
    private readonly apiKey: ApiKeyGuard,
    private readonly scopes: ScopesGuard,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const policy = credentialPolicyOf(context.getClass(), context.getHandler());
    if (policy === undefined)
      throw new ApiError('forbidden', 'Nobody may call this: it declares no credential.');
    if (policy.access === 'public' && !policy.identify) return true;
    const credential = this.guardOfCredential(context.switchToHttp().getRequest<Request>());
    if (credential !== undefined) return this.letThrough(credential, context);
    if (policy.access === 'public') return true;
    throw authenticationRequired();
  }

  private guardOfCredential(request: Request): BearerGuard | ApiKeyGuard | undefined {
    const { authorization } = request.headers;
    if (authorization !== undefined && BEARER_SCHEME.test(authorization)) return this.bearer;
    return request.headers[API_KEY_HEADER] === undefined ? undefined : this.apiKey;
  }

  private async letThrough(
    credential: BearerGuard | ApiKeyGuard,
    context: ExecutionContext,
  ): Promise<boolean> {
    await credential.canActivate(context);
    return this.scopes.canActivate(context);
  }
}
