/**
 * Verifies the audit log: walks the chain from its first seal and compares every row with its seal. It reads a bounded
 * number of rows at a time in one snapshot, whether the service runs or not.
 */
import type pg from 'pg';
import { CANONICAL_COLUMNS, type CanonicalRow, AUDIT_GENESIS_HASH, sealOf } from './audit-chain.js';
import { AUDIT_ENTRY_IDS } from './ids.js';

const SEALS_PER_READ = 1_000;
/** A row is sealed within a second while the service runs. */
const UNSEALED_FOR = '1 minute';

/** A seal that somebody kept outside, to check later that the chain still has it. */
export interface KeptSeal {
  readonly position: number;
  readonly hash: string;
}

export type AuditVerification =
  | {
      readonly ok: true;
      readonly rows: number;
      /** The last seal; pass it to a later run as a kept seal. */
      readonly head: KeptSeal;
      /** Rows of the last minute without a seal yet. */
      readonly unsealed: number;
    }
  /** `auditId` is the first row that differs or is missing; null if a seal is missing. */
  | { readonly ok: false; readonly auditId: string | null; readonly reason: string };

export interface AuditVerifyOptions {
  readonly expect?: KeptSeal;
  /** Of a restored copy: nobody sealed its last minute, however long ago that was. */
  readonly isCopy?: boolean;
  readonly onProgress?: (position: number, lastPosition: number) => void;
}

type SealedRow = { readonly [Name in keyof CanonicalRow]: CanonicalRow[Name] | null } & {
  readonly position: string;
  readonly sealed_id: string;
  readonly previous_hash: string;
  readonly hash: string;
};

export async function verifyAudit(
  client: pg.Client,
  options: AuditVerifyOptions = {},
): Promise<AuditVerification> {
  await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    return await verifySnapshot(client, options);
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
  }
}

async function verifySnapshot(
  client: pg.Client,
  { expect, isCopy = false, onProgress }: AuditVerifyOptions,
): Promise<AuditVerification> {
  const lastPosition = await lastPositionOf(client);
  let head: KeptSeal = { position: 0, hash: AUDIT_GENESIS_HASH };
  for (;;) {
    const { rows } = await client.query<SealedRow>(
      `SELECT seal.position, seal.audit_id::text AS sealed_id, seal.previous_hash, seal.hash, ${CANONICAL_COLUMNS}
       FROM audit_seals seal LEFT JOIN audit_log entry USING (audit_id)
       WHERE seal.position > $1 ORDER BY seal.position LIMIT ${SEALS_PER_READ}`,
      [head.position],
    );
    for (const row of rows) {
      const difference = differenceOf(row, head);
      if (difference !== null) return { ok: false, auditId: auditIdOf(row.sealed_id), reason: difference };
      head = { position: Number(row.position), hash: row.hash };
      if (head.position === expect?.position && head.hash !== expect.hash) {
        return { ok: false, auditId: auditIdOf(row.sealed_id), reason: 'its seal is not the one expected' };
      }
    }
    onProgress?.(head.position, lastPosition);
    if (rows.length < SEALS_PER_READ) break;
  }
  if (expect !== undefined && expect.position > head.position) {
    return {
      ok: false,
      auditId: null,
      reason: `the chain ends at ${head.position}, before the seal expected`,
    };
  }
  return verifyUnsealed(client, head, isCopy);
}

/** Why a row differs from its seal; null if it does not. */
function differenceOf(row: SealedRow, before: KeptSeal): string | null {
  const position = Number(row.position);
  if (position !== before.position + 1) return `the seal before it, ${before.position + 1}, is missing`;
  if (row.previous_hash !== before.hash) return 'its seal does not follow from the seal before it';
  if (row.audit_id === null) return 'it was sealed and is missing';
  if (sealOf(before.hash, position, row as CanonicalRow) !== row.hash) return 'it is not what was sealed';
  return null;
}

async function verifyUnsealed(
  client: pg.Client,
  head: KeptSeal,
  isCopy: boolean,
): Promise<AuditVerification> {
  const end = isCopy ? '(SELECT max(at) FROM audit_log)' : 'now()';
  const { rows } = await client.query<{ unsealed: string; late: string; first: string | null }>(
    `SELECT count(*) AS unsealed, count(*) FILTER (WHERE is_late) AS late, min(audit_id) FILTER (WHERE is_late) AS first
     FROM (SELECT entry.audit_id, entry.at < ${end} - interval '${UNSEALED_FOR}' AS is_late FROM audit_log entry
           WHERE NOT EXISTS (SELECT FROM audit_seals seal WHERE seal.audit_id = entry.audit_id)) AS left_over`,
  );
  const { unsealed, late, first } = rows[0]!;
  if (first !== null) {
    const reason =
      late === '1' ? 'it was never sealed' : `it was never sealed, and ${Number(late) - 1} others neither`;
    return { ok: false, auditId: auditIdOf(first), reason };
  }
  return { ok: true, rows: head.position, head, unsealed: Number(unsealed) };
}

async function lastPositionOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ last: string }>(
    'SELECT coalesce(max(position), 0) AS last FROM audit_seals',
  );
  return Number(rows[0]!.last);
}

function auditIdOf(sealed: string): string {
  return AUDIT_ENTRY_IDS.format(Number(sealed));
}
