import type { EntityManager } from 'typeorm';
import { noteChange } from '../../../kit/changes/changes.js';
import {
  KycCaseEntity,
  KycPersonEntity,
  type KycReason,
  type KycRequirement,
  type KycStatus,
} from './kyc-case.entity.js';
import { KycStateEntity } from './kyc-records.entity.js';

/** Owners whose approved case is another one. */
export const KYC_CHANGES = 'kyc';

/** The actor of a change that the service makes itself. */
export const BY_SERVICE = 'service';

/** A step of a case, as its history tells it. */
export interface KycChange {
  readonly status: KycStatus;
  /** What an approval grants, 1 to 9; of no other step. */
  readonly level?: number;
  /** A principal's key, `provider:` with a name, or `BY_SERVICE`. */
  readonly changedBy: string;
  /** Why, as a code that stays the same. */
  readonly code: string;
  /** Why, in an operator's own words. */
  readonly reason?: string;
  /** Shown to the owner; empty if left out. */
  readonly reasons?: readonly KycReason[];
  readonly requirements?: readonly KycRequirement[];
}

/**
 * Locks the owner's cases for this transaction. Every change of a case takes this lock before any other lock of the
 * owner's.
 */
export async function lockPerson(manager: EntityManager, owner: string): Promise<void> {
  await manager.query('INSERT INTO kyc_persons (owner) VALUES ($1) ON CONFLICT DO NOTHING', [owner]);
  await manager.findOneOrFail(KycPersonEntity, { where: { owner }, lock: { mode: 'pessimistic_write' } });
}

/**
 * Changes a case, writes its history, and sets the level for the owner's accounts. The person must be locked; `kyc`
 * must be as read under that lock, and has the new state once this resolves.
 */
export async function changeCase(
  manager: EntityManager,
  kyc: KycCaseEntity,
  { status, level = 0, changedBy, code, reason, reasons = [], requirements = [] }: KycChange,
): Promise<void> {
  const wasApproved = kyc.status === 'approved';
  const [now] = await manager.query<[{ readonly now: Date }]>(
    `SELECT date_trunc('milliseconds', clock_timestamp()) AS now`,
  );
  const isDecision = status !== kyc.status && (status === 'approved' || status === 'rejected');
  const change = {
    status,
    level,
    reasons,
    requirements,
    updatedAt: now.now,
    ...(isDecision && { decidedAt: now.now }),
  };
  await manager.update(KycCaseEntity, { kycId: kyc.kycId }, change);
  Object.assign(kyc, change);
  await manager.insert(KycStateEntity, {
    kycId: kyc.kycId,
    status,
    level,
    changedBy,
    code,
    reason: reason ?? null,
  });
  if (wasApproved || status === 'approved') {
    await noteChange(manager, KYC_CHANGES, kyc.owner);
    await manager.query(
      `UPDATE kyc_persons SET level = $2, level_changes = level_changes + 1
       WHERE owner = $1 AND level <> $2`,
      [kyc.owner, level],
    );
  }
}

/** Approves a case; the one that was approved before has done its service. */
export async function approveCase(
  manager: EntityManager,
  kyc: KycCaseEntity,
  change: Omit<KycChange, 'status'> & { readonly level: number },
): Promise<void> {
  const before = await manager.findOneBy(KycCaseEntity, { owner: kyc.owner, status: 'approved' });
  if (before) await supersede(manager, before);
  await changeCase(manager, kyc, { ...change, status: 'approved' });
}

/** A newer case has taken this one's place. */
export async function supersede(manager: EntityManager, kyc: KycCaseEntity): Promise<void> {
  await changeCase(manager, kyc, {
    status: 'expired',
    changedBy: BY_SERVICE,
    code: 'superseded',
    reasons: [{ code: 'superseded', message: 'A newer case has taken its place.' }],
  });
}
