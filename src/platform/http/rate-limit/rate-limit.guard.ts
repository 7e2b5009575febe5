import { Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { principalOf } from '../../security/current-principal.js';
import { RateLimits, rateLimitHeaders, type RateLimitClass } from './rate-limits.js';

const RATE_LIMIT_CLASS = Symbol('rate limit class');

/** Which budget a route takes from; without it, reading methods take from `reads` and all others from `writes`. */
export function RateLimitedAs(name: RateLimitClass): MethodDecorator & ClassDecorator {
  return SetMetadata(RATE_LIMIT_CLASS, name);
}

/** Takes a point from the caller's budget; stands behind the credential guard, which says who the caller is. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly declared = new Map<object, RateLimitClass | undefined>();

  constructor(private readonly limits: RateLimits) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (!this.limits.enabled) return true;
    if (context.getType() === 'ws') return this.limitMessage(context);
    const request = context.switchToHttp().getRequest<Request>();
    const name = this.declaredClassOf(context) ?? (isReading(request.method) ? 'reads' : 'writes');
    return this.limits.consume(name, this.limits.callerOf(request)).then((state) => {
      const response = context.switchToHttp().getResponse<Response>();
      const { policy, limit } = rateLimitHeaders(name, state);
      response.setHeader('RateLimit-Policy', policy);
      response.setHeader('RateLimit', limit);
      return true;
    });
  }

  /** Each socket has its own budget, but for what is declared, such as orders: that is the caller's. */
  private async limitMessage(context: ExecutionContext): Promise<boolean> {
    const name = this.declaredClassOf(context);
    const { id } = context.switchToWs().getClient<{ readonly id: string }>();
    if (name === undefined) await this.limits.consume('socket_messages', id);
    else await this.limits.consume(name, principalOf(context)?.key ?? id);
    return true;
  }

  private declaredClassOf(context: ExecutionContext): RateLimitClass | undefined {
    const handler = context.getHandler();
    if (!this.declared.has(handler)) {
      const name = (Reflect.getMetadata(RATE_LIMIT_CLASS, handler) ??
        Reflect.getMetadata(RATE_LIMIT_CLASS, context.getClass())) as RateLimitClass | undefined;
      this.declared.set(handler, name);
    }
    return this.declared.get(handler);
  }
}

function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}
