import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError } from '../../../kit/http/errors.js';
import { RateLimits } from '../../../kit/rate-limit/rate-limits.js';
import { Authenticator } from '../../../kit/security/authenticator.js';
import { authenticationRequired, tokenInQuery } from '../../../kit/security/challenges.js';
import { type CredentialPolicy, credentialPolicyOf } from '../../../kit/security/credential-policy.js';
import { principalOf } from '../../../kit/security/current-principal.js';
import { isSigned } from '../../../kit/security/signed-request.js';
import { requireAllowedNetwork } from '../../../kit/security/allowed-networks.js';
import { API_KEY_HEADER, presentedCredentialOf } from '../../../kit/security/presented-credential.js';
import { ApiKeyGuard } from './api-key.guard.js';
import { BearerGuard } from './bearer.guard.js';
import { SignatureGuard } from './signature.guard.js';
import { TicketGuard } from './ticket.guard.js';
import { ScopesGuard } from './scopes.guard.js';
import { FORBIDDEN } from '../../../kit/http/error-codes.js';

const BEARER_SCHEME = /^bearer(?: |$)/i;

/**
 * The one global guard. It combines the others: a bearer token decides if present, else an API key, else a signature,
 * else a stream ticket on a route that takes them; then the scopes. A route without a policy is refused, here as at
 * start. Throws `invalid_request` (400) for a token in the URL, on public routes too; `authentication_required`,
 * `invalid_token`, `invalid_api_key`, `signature_invalid`, `signature_replayed` (401), `insufficient_scope` (403);
 * `rate_limited` (429) for an unknown credential from an address that has spent its budget of refusals.
 */
@Injectable()
export class CredentialGuard implements CanActivate {
  constructor(
    private readonly bearer: BearerGuard,
    private readonly apiKey: ApiKeyGuard,
    private readonly signature: SignatureGuard,
    private readonly ticket: TicketGuard,
    private readonly scopes: ScopesGuard,
    private readonly authenticator: Authenticator,
    private readonly limits: RateLimits,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const policy = credentialPolicyOf(context.getClass(), context.getHandler());
    if (policy === undefined)
      throw new ApiError(FORBIDDEN, 'Nobody may call this: it declares no credential.');
    if (context.getType() === 'ws') return this.letMessageThrough(policy, context);
    const request = context.switchToHttp().getRequest<Request>();
    if (hasTokenInQuery(request)) throw tokenInQuery();
    if (policy.access === 'public' && !policy.identify) return true;
    const credential = this.guardOfCredential(request) ?? this.guardOfTicket(context);
    if (credential !== undefined) return this.letThrough(credential, context);
    if (policy.access === 'public') return true;
    throw authenticationRequired();
  }

  /** The socket was authenticated when it connected. */
  private letMessageThrough(policy: CredentialPolicy, context: ExecutionContext): boolean {
    if (policy.access === 'public') return true;
    if (principalOf(context) === undefined) throw authenticationRequired();
    return this.scopes.canActivate(context);
  }

  private guardOfCredential(request: Request): BearerGuard | ApiKeyGuard | SignatureGuard | undefined {
    const { authorization } = request.headers;
    if (authorization !== undefined && BEARER_SCHEME.test(authorization)) return this.bearer;
    if (request.headers[API_KEY_HEADER] !== undefined) return this.apiKey;
    return isSigned(request) ? this.signature : undefined;
  }

  private guardOfTicket(context: ExecutionContext): TicketGuard | undefined {
    return this.ticket.isPresented(context) ? this.ticket : undefined;
  }

  private async letThrough(credential: CanActivate, context: ExecutionContext): Promise<boolean> {
    if (this.limits.isSpentBySomebody('refusals')) await this.requireGuess(context);
    await credential.canActivate(context);
    const { user, ip } = context.switchToHttp().getRequest<Request>();
    if (user !== undefined) requireAllowedNetwork(user, ip);
    return this.scopes.canActivate(context);
  }

  /**
   * Each unknown credential costs a look-up in the database, and an address has a budget of them. Known credentials are
   * free, and so are the signatures of known keys: a false one is counted when it is refused.
   */
  private async requireGuess(context: ExecutionContext): Promise<void> {
    const request = context.switchToHttp().getRequest<Request>();
    const presented = presentedCredentialOf(request.headers);
    const isKnown =
      presented === undefined
        ? (isSigned(request) ? this.signature : this.ticket).isKnown(context)
        : this.authenticator.knows(this.authenticator.hold(presented));
    if (!isKnown) await this.limits.requireBudget('refusals', this.limits.addressBucketOf(request));
  }
}

/** Express parses the query at each access, so skip it if there is none. */
function hasTokenInQuery(request: Request): boolean {
  return request.url.includes('?') && request.query['access_token'] !== undefined;
}
