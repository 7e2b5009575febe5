/** The audit log's record of an act, with values that Postgres can always store. */
import { storableText } from '../storable-text.js';

/**
 * `succeeded`: it happened. `proposed`: it waits for a second person. `refused`: an operator's request was refused and
 * nothing happened. `failed`: a credential was wrong.
 */
export const AUDIT_OUTCOMES = ['succeeded', 'proposed', 'refused', 'failed'] as const;

export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/**
 * The target of an act. The type is the thing's name in the API, such as `user` or `payout`; the id is its public id.
 */
export interface AuditTarget {
  readonly type: string;
  readonly id: string;
}

/** Who acted, and from where; null if unknown. */
export interface AuditActor {
  /** The person's key, as `personOf` gives it, such as `user:7`. */
  readonly person: string | null;
  /**
   * Kind and id of the credential: `session:alice`, `grant:app`, `client:demo`, `api_key:key_…`, `password:alice`,
   * `passkey:alice`, `system:expiry`.
   */
  readonly credential: string | null;
  readonly address: string | null;
}

/** An act, described by the code that does it. Never pass a whole body: list the members to keep. */
export interface Act {
  readonly target: AuditTarget;
  /** No secrets, and no personal data except user names. At most 4 KB. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly outcome?: AuditOutcome;
}

/** A row of the log without its number. */
export interface AuditEntry {
  readonly actor_person: string | null;
  readonly actor_credential: string | null;
  readonly actor_address: string | null;
  readonly action: string;
  readonly target_type: string;
  readonly target_id: string;
  readonly request_id: string | null;
  readonly outcome: AuditOutcome;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface ActCircumstances {
  readonly actor: AuditActor;
  /** The operation id of the route, see `AuditActions`; `system:<what>` if no route was called. */
  readonly action: string;
  readonly requestId: string | null;
}

const DETAILS_BYTES_MAX = 4_096;
const TEXT_LENGTH_MAX = 256;
const DETAIL_LENGTH_MAX = 1_024;

/** Texts are cut to a length and cleared of what Postgres refuses, so that a row never makes its act fail. */
export function auditEntryOf({ actor, action, requestId }: ActCircumstances, act: Act): AuditEntry {
  return {
    actor_person: storableOrNull(actor.person),
    actor_credential: storableOrNull(actor.credential),
    actor_address: storableOrNull(actor.address),
    action: storable(action),
    target_type: storable(act.target.type),
    target_id: storable(act.target.id),
    request_id: storableOrNull(requestId),
    outcome: act.outcome ?? 'succeeded',
    details: boundedDetails(act.details ?? {}),
  };
}

/** The insert statement for entries, shared by all writers. It takes no locks that others wait for. */
export function insertionOf(entries: readonly AuditEntry[]): { text: string; values: unknown[] } {
  return { text: INSERTION, values: [JSON.stringify(entries)] };
}

const COLUMNS =
  'actor_person, actor_credential, actor_address, action, target_type, target_id, request_id, outcome';

const INSERTION = `
  INSERT INTO audit_log (${COLUMNS}, details)
  SELECT ${COLUMNS}, details FROM jsonb_to_recordset($1::jsonb) AS entry (
    actor_person text, actor_credential text, actor_address text, action text,
    target_type text, target_id text, request_id text, outcome text, details jsonb)`;

/** As many members as fit, in order; `truncated` marks an omission. */
function boundedDetails(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const kept: [name: string, value: unknown][] = [];
  let bytes = '{"truncated":true}'.length;
  for (const [name, value] of Object.entries(storableValue(details) as object)) {
    bytes += Buffer.byteLength(JSON.stringify({ [name]: value as unknown }));
    if (bytes > DETAILS_BYTES_MAX) return { ...Object.fromEntries(kept), truncated: true };
    kept.push([name, value]);
  }
  return Object.fromEntries(kept);
}

/** Converts to JSON values that Postgres can store; `bigint` becomes decimal text. */
function storableValue(value: unknown): unknown {
  if (typeof value === 'string') return storable(value, DETAIL_LENGTH_MAX);
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((item) => storableValue(item) ?? null);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [storable(name), storableValue(member)]),
  );
}

function storableOrNull(text: string | null): string | null {
  return text === null ? null : storable(text);
}

/** Postgres stores neither NUL nor half of a surrogate pair, which truncation may leave. */
function storable(text: string, lengthMax = TEXT_LENGTH_MAX): string {
  return storableText(text.slice(0, lengthMax));
}
