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
 * The audit log: one row for each act of an operator and each change of a credential, written in the
 * transaction of the act, so that neither is there without the other.
 *
 * Who, by which credential, from where and by which operation comes from the request: from every changing
 * route under `/admin`, and from those that are marked with `@Audited()`. The code that does the act says to
 * what, and what of it is worth keeping.
 */
@Injectable()
export class AuditLog {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /**
   * Records an act of the running request in the act's own transaction. `by` takes the place of what the
   * request says of its caller, such as at a log-in, where only the handler finds out who it is.
   */
  record(transaction: Transaction, act: Act, by?: Partial<AuditActor>): Promise<void> {
    return this.insert(transaction, this.entryFor(act, by));
  }

  /**
   * The row of an act that the core carries out: give it to `CoreService.submit` as `audit`, and it is
   * written in the commit of the commands, if at least one of them is applied.
   */
  entryFor(act: Act, by?: Partial<AuditActor>): AuditEntry {
    const request = runningRequest();
    request.recorded++;
    return auditEntryOf(by === undefined ? request : { ...request, actor: { ...request.actor, ...by } }, act);
  }

  /** The running request repeats one whose act has its row. */
  markRepeat(): void {
    runningRequest().recorded++;
  }

  /** Records in a transaction of its own what has no other: a refusal, a credential that was tried in vain. */
  recordAlone(act: Act, by?: Partial<AuditActor>): Promise<void> {
    return this.record(this.pool, act, by);
  }

  /** Records what the service did by itself, such as the expiry of a proposal: the actor is `system:<what>`. */
  recordOfSystem(transaction: Transaction, what: string, act: Act): Promise<void> {
    const credential = `system:${what}`;
    const circumstances: ActCircumstances = {
      actor: { person: null, credential, address: null },
      action: credential,
      requestId: null,
    };
    return this.insert(transaction, auditEntryOf(circumstances, act));
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
