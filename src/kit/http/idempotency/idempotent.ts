import { hash } from 'node:crypto';
import {
  Injectable,
  Logger,
  SetMetadata,
  UseInterceptors,
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { from, lastValueFrom, of, type Observable } from 'rxjs';
import { runningRequest, type RunningRequest } from './answer-transaction.js';
import { IDEMPOTENT_REPLAYED_HEADER, documentIdempotencyKey, idempotencyKeyOf } from './idempotency-key.js';
import { fingerprintOf } from '../../repeated-requests.js';
import { IdempotencyKeys, type Claim, type KeptAnswer } from './idempotency-keys.js';

const IDEMPOTENT = Symbol('idempotent');

/** Answers a request that came with an `Idempotency-Key` once, and its repeats with the first answer. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  private readonly logger = new Logger(IdempotencyInterceptor.name);

  constructor(private readonly keys: IdempotencyKeys) {}

  /** Throws what `parseIdempotencyKey` and `IdempotencyKeys.claim` throw. */
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const key = idempotencyKeyOf(request);
    const owner = request.user?.key;
    // A key belongs to a principal; without one nothing can be stored.
    if (key === undefined || owner === undefined) return next.handle();

    const outcome = await this.keys.claim({ owner, key, fingerprint: fingerprintOfRequest(request) });
    if (isKept(outcome)) {
      response.status(outcome.status).setHeader(IDEMPOTENT_REPLAYED_HEADER, 'true');
      return of(outcome.body);
    }
    return from(this.handle(outcome, response, next).finally(() => this.keys.end(outcome)));
  }

  private async handle(claim: Claim, response: Response, next: CallHandler): Promise<unknown> {
    const running: RunningRequest = { claim, status: response.statusCode, recorded: false };
    let body: unknown;
    try {
      body = await runningRequest.run(running, () =>
        lastValueFrom(next.handle(), { defaultValue: undefined }),
      );
    } catch (error) {
      await this.settle('released', () => this.keys.release(claim));
      throw error;
    }
    if (!running.recorded) await this.settle('recorded', () => this.keep(claim, response.statusCode, body));
    return body;
  }

  private keep(claim: Claim, status: number, body: unknown): Promise<void> {
    return status < 400 ? this.keys.record(claim, { status, body }) : this.keys.release(claim);
  }

  /** The caller gets its answer even if this fails: the lease expires by itself. */
  private async settle(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.logger.warn({ msg: `an Idempotency-Key could not be ${what}`, err: error });
    }
  }
}

/**
 * Makes a POST route safe to repeat by `Idempotency-Key`, for whatever does not go through the core (which
 * keeps keys of its own). Of one principal, the same key on the same address with the same query and body is
 * answered with the first status and body again and `Idempotent-Replayed: true`, for 24 hours; headers that
 * the handler set are not kept. Refusals are not kept either: the same key may succeed later.
 * Errors: `invalid_idempotency_key` (400), `idempotency_key_reused` (422), `idempotency_in_progress` (409).
 *
 * What if the process dies while the handler runs? Until the lease is over (ten seconds) repeats are told
 * `idempotency_in_progress`; then one of them runs the handler again. A handler that does all its work in
 * `AnswerTransaction.run` has then left no trace or its recorded answer, so it happens exactly once. Any
 * other one may have done its work without the answer being on record, and does it a second time: give it
 * a unique key of its own, or make it harmless to repeat.
 *
 * The body is compared as the body guard parsed it, and what is stored of it tells nothing to who does not
 * have the key (see `Claim`). This is not for routes that read their body or write their response themselves.
 */
export function Idempotent(): MethodDecorator {
  return applyDecorators(
    SetMetadata(IDEMPOTENT, true),
    UseInterceptors(IdempotencyInterceptor),
    documentIdempotencyKey,
  );
}

export function isIdempotent(handler: object): boolean {
  return Reflect.getMetadata(IDEMPOTENT, handler) === true;
}

function fingerprintOfRequest({ method, route, params, query, body }: Request): string {
  const { path } = route as { path: string };
  return fingerprintOf(method, path, { params, query, body: withFilesDigested(body) });
}

/** Uploads are large, and several times larger as JSON. */
function withFilesDigested(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]: [string, unknown]) => [
      name,
      Buffer.isBuffer(value) ? hash('sha256', value, 'hex') : value,
    ]),
  );
}

function isKept(outcome: Claim | KeptAnswer): outcome is KeptAnswer {
  return 'status' in outcome;
}
