/** The hash chain: a seal covers a row and the seal before it. */
import { hash } from 'node:crypto';

export const AUDIT_GENESIS_HASH = '0'.repeat(64);

/** The columns of a row as text, independent of the reader. `details` is as Postgres writes a jsonb. */
export const CANONICAL_COLUMNS = `
  entry.audit_id::text, (extract(epoch FROM entry.at) * 1000)::bigint::text AS at_ms, entry.actor_person,
  entry.actor_credential, entry.actor_address, entry.action, entry.target_type, entry.target_id,
  entry.request_id, entry.outcome, entry.details::text AS details`;

export interface CanonicalRow {
  readonly audit_id: string;
  readonly at_ms: string;
  readonly actor_person: string | null;
  readonly actor_credential: string | null;
  readonly actor_address: string | null;
  readonly action: string;
  readonly target_type: string;
  readonly target_id: string;
  readonly request_id: string | null;
  readonly outcome: string;
  readonly details: string;
}

/** SHA-256, in hex, of the previous hash, the position in the chain, and all columns of the row. */
export function sealOf(previousHash: string, position: number, row: CanonicalRow): string {
  const content = JSON.stringify([
    row.audit_id,
    row.at_ms,
    row.actor_person,
    row.actor_credential,
    row.actor_address,
    row.action,
    row.target_type,
    row.target_id,
    row.request_id,
    row.outcome,
    row.details,
  ]);
  return hash('sha256', `${previousHash}\n${position}\n${content}`);
}
