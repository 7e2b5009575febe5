import { Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { principalOf } from '../security/current-principal.js';
import { InFlight } from '../turns/in-flight.js';
import { loopTurns } from '../turns/loop-turns.js';
import { ownerOf, presentCaller, presentOwner, registrationRootOf } from '../turns/owner.js';
import { RateLimits, type RateLimitClass } from './rate-limits.js';

/** The cost of a body or message in points; it is parsed but not validated yet. */
type CostOf = (body: unknown) => number;

interface DeclaredLimit {
  readonly name: RateLimitClass;
  /** One point if there is none. */
  readonly costOf: CostOf | undefined;
}

const DECLARED_LIMIT = Symbol('rate limit');

/**
 * Selects the budget of a route; the default is `reads` for reading methods and `writes` for all others. `costOf` gives
 * the cost of a body in points, by default one.
 */
export function RateLimitedAs(name: RateLimitClass, costOf?: CostOf): MethodDecorator & ClassDecorator {
  return SetMetadata(DECLARED_LIMIT, { name, costOf } satisfies DeclaredLimit);
}

/** Reads the decorators of routes, cached. */
class DeclaredLimits {
  private readonly known = new Map<object, DeclaredLimit | undefined>();

  of(context: ExecutionContext): DeclaredLimit | undefined {
    const handler = context.getHandler();
    if (!this.known.has(handler)) {
      const declared = (Reflect.getMetadata(DECLARED_LIMIT, handler) ??
        Reflect.getMetadata(DECLARED_LIMIT, context.getClass())) as DeclaredLimit | undefined;
      this.known.set(handler, declared);
    }
    return this.known.get(handler);
  }
}

/**
 * Takes a point from the caller's budget, counts what its owner has in flight, and waits for the owner's turn; runs after
 * the credential guard, which identifies the caller.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly declared = new DeclaredLimits();

  constructor(
    private readonly limits: RateLimits,
    private readonly inFlight: InFlight,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const declared = this.declared.of(context);
    if (!this.limits.enabled) return this.letFly(declared);
    if (context.getType() === 'ws') return this.limitMessage(context, declared);
    const request = context.switchToHttp().getRequest<Request>();
    const name = declared?.name ?? (isReading(request.method) ? 'reads' : 'writes');
    return this.limits
      .charge(request, context.switchToHttp().getResponse<Response>(), name)
      .then(() => this.letFly(declared));
  }

  /** Throws `too_many_in_flight` (429). */
  private letFly(declared: DeclaredLimit | undefined): true | Promise<true> {
    const caller = presentCaller();
    if (caller === undefined) return true;
    caller.isOrder = declared?.name === 'orders';
    caller.flight = this.inFlight.begin(ownerOf(caller));
    return caller.flight.turn?.then(() => true as const) ?? true;
  }

  /** Each socket has its own budget, except for declared budgets, such as orders, which are the caller's. */
  private async limitMessage(
    context: ExecutionContext,
    declared: DeclaredLimit | undefined,
  ): Promise<boolean> {
    const { id } = context.switchToWs().getClient<{ readonly id: string }>();
    if (declared === undefined) {
      await this.limits.consume('socket_messages', id);
      return this.letFly(declared);
    }
    const { name, costOf } = declared;
    const points = costOf?.(context.switchToWs().getData()) ?? 1;
    const principal = principalOf(context);
    await this.limits.consume(name, principal === undefined ? id : registrationRootOf(principal), points);
    await this.letFly(declared);
    if (points > 1) await turnFor(points - 1);
    return true;
  }
}

/** Of what a body asks for, as much takes as long as a request by itself. */
const POINTS_PER_REQUEST = 4;

/** Waits for the turn of the owner of what is handled, of which that many points are to be done in one go. */
export function turnFor(points: number): Promise<void> | undefined {
  return loopTurns.turnOf(presentOwner(), { requests: points / POINTS_PER_REQUEST });
}

/**
 * Takes the cost of a body beyond the first point, and waits for the owner's turn to do so much; runs after the body guard. A
 * request beyond the remaining budget is refused as a whole.
 */
@Injectable()
export class BodyCostGuard implements CanActivate {
  private readonly declared = new DeclaredLimits();

  constructor(private readonly limits: RateLimits) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const declared = this.declared.of(context);
    if (declared?.costOf === undefined || context.getType() === 'ws') return true;
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const more = declared.costOf(request.body) - 1;
    if (more <= 0) return true;
    return this.limits
      .charge(request, http.getResponse<Response>(), declared.name, more)
      .then(() => turnFor(more))
      .then(() => true);
  }
}

function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}
