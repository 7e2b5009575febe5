import {
  Inject,
  Injectable,
  Logger,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { CONFIG, type Config } from '../config/config.js';
import { toApiError } from '../server/exception.filter.js';
import { RateLimits } from '../rate-limit/rate-limits.js';
import { registrationRootOf } from '../turns/owner.js';
import { IDEMPOTENT_REPLAYED_HEADER } from '../http/idempotency/idempotency-key.js';
import { actorOfRequest, auditedRequest, type AuditedRequest } from './audit-context.js';
import type { AuditTarget } from './audit-entry.js';
import { AuditActions } from './audit-actions.js';
import { AuditLog } from './audit-log.js';
import { auditOf } from './audited.js';
import { ScopeCatalogue } from '../security/scope.js';

/**
 * Runs the handlers of audited routes with a context for `AuditLog`, and ensures that every operator's act has a row:
 * it records refusals itself, and treats a success without a row as a fault.
 */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  private readonly logger = new Logger(AuditInterceptor.name);

  constructor(
    private readonly log: AuditLog,
    private readonly actions: AuditActions,
    private readonly limits: RateLimits,
    private readonly scopes: ScopeCatalogue,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const audit = auditOf(request.method, routePathOf(request), context.getHandler());
    if (audit === 'never') return next.handle();

    const audited: AuditedRequest = {
      actor: actorOfRequest(request),
      action: this.actions.of(request.method, routePathOf(request)),
      requestId: request.id,
      recorded: 0,
    };
    return from(
      auditedRequest.run(audited, async () => {
        await this.requireRoom(request);
        const body = await this.handle(next, audit === 'operator' ? targetOfRoute(request) : null);
        const isRepeat = response.hasHeader(IDEMPOTENT_REPLAYED_HEADER);
        if (audited.recorded === 0 && audit !== 'sometimes' && !isRepeat) {
          await this.fault(audited, targetOfRoute(request));
        }
        return body;
      }),
    );
  }

  /**
   * Whoever is no operator may leave so many rows an hour: they are never deleted, and one who makes a key and deletes it
   * over and over would fill the disk. Log-ins have budgets of their own.
   */
  private async requireRoom({ user }: Request): Promise<void> {
    if (user === undefined || this.scopes.isOperator(user.scopes)) return;
    await this.limits.consume('audited_acts', registrationRootOf(user));
  }

  /**
   * Records a refusal that has a target. A rate limit's refusal is not recorded: otherwise anyone could fill the disk.
   */
  private async handle(next: CallHandler, target: AuditTarget | null): Promise<unknown> {
    try {
      return await lastValueFrom(next.handle(), { defaultValue: undefined });
    } catch (error) {
      const { status, code } = toApiError(error);
      if (target !== null && status < 500 && status !== 429) {
        await this.log.recordAlone({ target, outcome: 'refused', details: { code } });
      }
      throw error;
    }
  }

  /**
   * The act is done already. In production its row is written late rather than never; elsewhere the fault fails a test.
   */
  private async fault({ action, requestId }: AuditedRequest, target: AuditTarget): Promise<void> {
    const fault = new Error(`${action} succeeded without a row in the audit log`);
    if (this.config.nodeEnv !== 'production') throw fault;
    this.logger.error({ msg: fault.message, request_id: requestId });
    await this.log.recordAlone({ target, details: { recorded: 'after_the_act' } });
  }
}

/** The last id of the path, such as the payout of `/admin/payouts/:payout_id/approve`; else the path itself. */
function targetOfRoute(request: Request): AuditTarget {
  const [name, id] = Object.entries(request.params).at(-1) ?? ['path', routePathOf(request)];
  return { type: name.replace(/_id$/, ''), id: String(id) };
}

function routePathOf(request: Request): string {
  return (request.route as { readonly path: string }).path;
}
