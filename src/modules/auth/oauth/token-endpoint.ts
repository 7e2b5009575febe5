import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError } from '../../../platform/http/errors.js';
import { RateLimits } from '../../../platform/http/rate-limit/rate-limits.js';
import { TokenIssuer } from './token-issuer.js';
import { claimedClientOf, type TokenRequest } from './token-request.js';
import type { TokenResponse } from './oauth.dto.js';

/** What both token routes do: read the request, issue, and slow down who keeps failing. */
@Injectable()
export class TokenEndpoint {
  constructor(
    private readonly issuer: TokenIssuer,
    private readonly limits: RateLimits,
  ) {}

  /**
   * Answers the token request that `read` finds in `request`. Rejects as `read` and `TokenIssuer.issue`
   * do, and with `rate_limited` (429) once the caller has failed too often, right or wrong.
   */
  async answer(request: Request, read: () => TokenRequest): Promise<TokenResponse> {
    const caller = this.callerOf(request);
    await this.limits.requireBudget('credential_failures', caller);
    try {
      return await this.issuer.issue(read());
    } catch (error) {
      if (isRefusal(error)) await this.limits.consume('credential_failures', caller);
      throw error;
    }
  }

  /** An address together with the client it speaks for, so that one that fails keeps no other from its tokens. */
  private callerOf(request: Request): string {
    const client = claimedClientOf(request.body, request.headers.authorization);
    return `${this.limits.addressBucketOf(request)} ${hash('sha1', client, 'hex').slice(0, 4)}`;
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 400 || error.status === 401);
}
