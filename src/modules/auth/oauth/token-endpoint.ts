import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError } from '../../../kit/http/errors.js';
import { RateLimits } from '../../../kit/rate-limit/rate-limits.js';
import { TokenIssuer } from './token-issuer.js';
import { TokenManagement } from './token-management.js';
import {
  claimedClientOf,
  readTokenManagementRequest,
  type TokenManagementRequest,
  type TokenRequest,
} from './token-request.js';
import type { IntrospectionResponse, StandardTokenResponse } from './oauth.dto.js';

/**
 * The common part of all routes that authenticate clients: reads the request, answers, and slows down callers that keep
 * failing.
 */
@Injectable()
export class TokenEndpoint {
  constructor(
    private readonly issuer: TokenIssuer,
    private readonly management: TokenManagement,
    private readonly limits: RateLimits,
  ) {}

  /** Issues tokens for the request that `read` parses. Rejects as `read` and `TokenIssuer.issue` do. */
  issue(request: Request, read: () => TokenRequest): Promise<StandardTokenResponse> {
    return this.slowingDown(request, () => this.issuer.issue(read()));
  }

  /** Revokes a token. Rejects as `readTokenManagementRequest` and `TokenManagement.revoke` do. */
  revoke(request: Request): Promise<void> {
    return this.slowingDown(request, () => this.management.revoke(readManagement(request)));
  }

  /** Introspects a token. Rejects as `readTokenManagementRequest` and `TokenManagement.introspect` do. */
  introspect(request: Request): Promise<IntrospectionResponse> {
    return this.slowingDown(request, () => this.management.introspect(readManagement(request)));
  }

  /**
   * Rejects as `work` does, and with `rate_limited` (429) once the caller has failed too often, even for right
   * credentials.
   */
  private async slowingDown<T>(request: Request, work: () => Promise<T>): Promise<T> {
    const caller = this.callerOf(request);
    await this.limits.requireBudget('credential_failures', caller);
    try {
      return await work();
    } catch (error) {
      if (isRefusedRequest(error)) await this.limits.consume('credential_failures', caller);
      throw error;
    }
  }

  /** An address together with the client it names, so that one failing client does not block others. */
  private callerOf(request: Request): string {
    const client = claimedClientOf(request.body, request.headers.authorization);
    return `${this.limits.addressBucketOf(request)} ${hash('sha1', client, 'hex').slice(0, 4)}`;
  }
}

function readManagement(request: Request): TokenManagementRequest {
  return readTokenManagementRequest(request.body, request.headers.authorization);
}

function isRefusedRequest(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 400 || error.status === 401);
}
