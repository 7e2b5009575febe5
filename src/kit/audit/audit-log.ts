import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { EntityManager } from 'typeorm';
import { PG_POOL } from '../database/pg-pool.js';
import type { Transaction } from '../database/transaction.js';
import { auditedRequest, type AuditedRequest } from './audit-context.js';
import {
  type Act,
  type ActCircumstances,
  type AuditActor,
  type AuditEntry,
  auditEntryOf,
  insertionOf,
} from './audit-entry.js';

/**
 * The audit log: one row for each act of an operator and each change of a credential, written in the act's transaction,
 * so that neither exists without the other.
 *
 * Actor, credential, origin and operation come from the request. Audited are all changing routes under `/admin` and
 * routes marked `@Audited()`. The code that does the act gives the target and the details to keep.
 */
@Injectable()
export class AuditLog {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /**
   * Records an act of the current request in the act's transaction. `by` overrides the actor of the request, such as at
   * a log-in, where only the handler learns who it is.
   */
  record(transaction: Transaction, act: Act, by?: Partial<AuditActor>): Promise<void> {
    return this.insert(transaction, this.entryFor(act, by));
  }

  /**
   * The row of an act that the core carries out. Pass it to `CoreService.submit` as `audit`: the commit of the commands
   * writes it if at least one command is applied.
   */
  entryFor(act: Act, by?: Partial<AuditActor>): AuditEntry {
    const request = runningRequest();
    request.recorded++;
    return auditEntryOf(by === undefined ? request : { ...request, actor: { ...request.actor, ...by } }, act);
  }

  /** Marks the current request as the repeat of an act that has its row. */
  markRepeat(): void {
    runningRequest().recorded++;
  }

  /** Records in its own transaction an act that has none: a refusal, or a wrong credential. */
  recordAlone(act: Act, by?: Partial<AuditActor>): Promise<void> {
    return this.record(this.pool, act, by);
  }

  /** Records an act of the service itself, such as the expiry of a proposal: the actor is `system:<what>`. */
  recordOfSystem(transaction: Transaction, what: string, act: Act): Promise<void> {
    return this.insert(transaction, this.entryOfSystem(what, act));
  }

  /** The row of such an act that the core carries out, as `entryFor` gives that of a request. */
  entryOfSystem(what: string, act: Act): AuditEntry {
    const credential = `system:${what}`;
    const circumstances: ActCircumstances = {
      actor: { person: null, credential, address: null },
      action: credential,
      requestId: null,
    };
    return auditEntryOf(circumstances, act);
  }

  private async insert(transaction: Transaction, entry: AuditEntry): Promise<void> {
    const { text, values } = insertionOf([entry]);
    if (transaction instanceof EntityManager) await transaction.query(text, values);
    else await transaction.query(text, values);
  }
}

function runningRequest(): AuditedRequest {
  const request = auditedRequest.getStore();
  if (request !== undefined) return request;
  throw new Error(
    'No audited request is running: mark its route with @Audited(), or record it of the system.',
  );
}
