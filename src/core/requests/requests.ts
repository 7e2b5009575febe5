/** What the core is asked to carry out, and what it answers. */
import type { Command, Outcome } from '../../domain/engine/commands.js';
import type { AuditEntry } from '../../kit/audit/audit-entry.js';

/** A unit of work for the core: its commands run one after the other and become durable together. */
export interface CoreRequest {
  readonly commands: readonly Command[];
  /** The caller's `Idempotency-Key`; a repeat of it never reaches the engine. */
  readonly idempotency?: IdempotencyKey;
  /** The sender, from `actorOf`; stored in the journal. Absent for the service itself. */
  readonly actor?: string;
  /** The audit entry, from `AuditLog.entryFor`: written in the same commit if any command is applied. */
  readonly audit?: AuditEntry;
}

export interface IdempotencyKey {
  /** The principal's key, such as `client:demo`. */
  readonly owner: string;
  readonly key: string;
  /** A digest of route and body; the same key with another fingerprint is refused. */
  readonly fingerprint: string;
  /** For the ids that modules derive from their own records: kept for good instead of a day. */
  readonly keptForGood?: boolean;
  /** How long it is kept otherwise, in place of a day. */
  readonly keptMs?: number;
}

export interface CoreAnswer {
  /** One for each command, in their order. */
  readonly outcomes: readonly Outcome[];
  /** For each command, whether its outcome is a repeat of an earlier one (by either key). */
  readonly replayed: readonly boolean[];
  /** Set where all of it is the answer that was given before under the request's key. */
  readonly isOfKey?: true;
}
