import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ApprovalKind, ApprovalOf } from '../../../kit/approvals/approval-kind.js';
import { ApprovalType } from '../../../kit/approvals/approval-type.js';
import { OPERATOR_COMPLIANCE } from '../../../kit/security/operator-roles.js';
import { Approvals, type Proposed } from '../../../kit/approvals/approvals.service.js';
import type { Principal } from '../../../kit/security/principal.js';
import { KycCaseEntity } from './kyc-case.entity.js';
import { approveCase, lockPerson } from './kyc-changes.js';
import { requireDecidable } from './kyc-decision.js';
import { KycLevels } from './kyc-levels.js';
import { KYC_CASE_IDS } from '../ids.js';

/** The stored payload of a level that an operator sets by hand. */
interface LevelPayload {
  readonly kycId: string;
  readonly owner: string;
  readonly level: number;
  /** Without personal data. */
  readonly reason: string;
}

export const KYC_LEVEL = new ApprovalType<LevelPayload>('kyc_level', { roles: [OPERATOR_COMPLIANCE] });

/** Levels above those of the checks; with `FOUR_EYES` two persons must set them. */
@Injectable()
export class KycApprovals {
  readonly kind: ApprovalKind<LevelPayload> = {
    approved: raiseLevel,
    carryOut: ({ payload }) => this.levels.applyOrLeave(payload.owner),
  };

  constructor(
    private readonly approvals: Approvals,
    private readonly levels: KycLevels,
  ) {}

  /** Throws as `Approvals.propose` does. */
  async propose(
    principal: Principal,
    { kycId, owner }: KycCaseEntity,
    { level, reason }: Pick<LevelPayload, 'level' | 'reason'>,
  ): Promise<Proposed> {
    const id = KYC_CASE_IDS.format(Number(kycId));
    return this.approvals.propose(
      { principal, key: undefined },
      {
        kind: KYC_LEVEL,
        subject: { type: 'kyc', id },
        owner,
        slot: `kyc_level:${id}`,
        summary: `Approve the KYC case ${id} of ${await this.approvals.nameOf(owner)} at level ${level}.`,
        payload: { kycId, owner, level, reason },
      },
    );
  }
}

/** Throws the refusal of a single operator's decision if the case has changed meanwhile. */
async function raiseLevel(
  { payload, decidedBy }: ApprovalOf<LevelPayload>,
  manager: EntityManager,
): Promise<void> {
  const { kycId, owner, level, reason } = payload;
  await lockPerson(manager, owner);
  const kyc = await manager.findOneByOrFail(KycCaseEntity, { kycId });
  requireDecidable(kyc, { decision: 'approved', level });
  await approveCase(manager, kyc, {
    level,
    changedBy: decidedBy!,
    code: 'operator_decision',
    reason,
    reasons: [{ code: 'operator_decision', message: reason }],
  });
}
