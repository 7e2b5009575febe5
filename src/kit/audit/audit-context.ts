import { AsyncLocalStorage } from 'node:async_hooks';
import type { Request } from 'express';
import { personOf, type Principal } from '../security/principal.js';
import type { ActCircumstances, AuditActor } from './audit-entry.js';

/** An audited request, while its handler runs. */
export interface AuditedRequest extends ActCircumstances {
  readonly requestId: string;
  /** How many rows were written, or passed to the core to write. */
  recorded: number;
}

/** The audited request that is being handled, if any. */
export const auditedRequest = new AsyncLocalStorage<AuditedRequest>();

export function actorOfRequest(request: Request): AuditActor {
  const { user: principal, ip: address = null } = request;
  if (principal === undefined) return { person: null, credential: null, address };
  return { person: personOf(principal), credential: credentialOf(principal), address };
}

/** Kind and id of the caller's credential, without its secret. */
function credentialOf({ kind, id, delegatedTo }: Principal): string {
  if (delegatedTo !== undefined) return `grant:${delegatedTo}`;
  return `${kind === 'user' ? 'session' : kind}:${id}`;
}
