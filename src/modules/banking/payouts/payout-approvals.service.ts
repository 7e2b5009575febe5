import type { ErrorCode } from '../../../kit/http/error-code.js';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ApprovalKind, ApprovalOf } from '../../../kit/approvals/approval-kind.js';
import { approvalIdOf } from '../../../kit/approvals/approval.entity.js';
import { Approvals } from '../../../kit/approvals/approvals.service.js';
import { FORBIDDEN, APPROVAL_NOT_PENDING } from '../../../kit/http/error-codes.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiError } from '../../../kit/http/errors.js';
import { personOf, type Principal } from '../../../kit/security/principal.js';
import { WithdrawalGate, withdrawalHeld } from '../../users/withdrawal-gate.js';
import { KycStanding } from '../kyc/kyc-standing.js';
import { PayoutMoney } from './payout-money.service.js';
import { type PayoutPayload, slotOfPayout } from './payout-proposal.js';
import { lockPayout, takeStep } from './payout-steps.service.js';
import type { PayoutEntity } from './payout.entity.js';
import { kycRequired } from './payouts.service.js';

/** Large payouts need a second person: not the requester, not the owner, and nobody related to them. */
@Injectable()
export class PayoutApprovals {
  readonly kind: ApprovalKind<PayoutPayload> = {
    hasOwnStates: true,
    lock: async ({ payoutId }, manager) => {
      await lockPending(manager, payoutId);
    },
    approved: (approval, manager) => this.approved(approval, manager),
    rejected: async ({ payload, decidedBy, reason }, manager) => {
      const payout = await lockPending(manager, payload.payoutId);
      await takeStep(manager, payout, { to: 'failed', by: decidedBy, code: 'rejected', message: reason });
    },
    afterRejection: ({ payload }) => this.money.settle(payload.payoutId),
  };

  constructor(
    private readonly approvals: Approvals,
    private readonly standing: KycStanding,
    private readonly money: PayoutMoney,
    private readonly gate: WithdrawalGate,
  ) {}

  /**
   * Throws `forbidden` (403) for the requester, `related_person` (403), `invalid_status_change` (409) if it needs no
   * approval, `payment_held` (409) while its account is frozen or its owner locked or closed, and `kyc_required` (422)
   * if the owner's KYC is no longer approved.
   */
  approve(principal: Principal, payout: PayoutEntity): Promise<void> {
    return this.decide(principal, payout, (id) => this.approvals.approve(principal, id));
  }

  /** Gives the money back. Throws as `approve` does, but for `payment_held` and `kyc_required`. */
  reject(principal: Principal, payout: PayoutEntity, reason: string): Promise<void> {
    return this.decide(principal, payout, (id) => this.approvals.reject(principal, id, reason));
  }

  /** The payout's own routes keep the codes that they had before approvals were one mechanism. */
  private async decide(
    principal: Principal,
    payout: PayoutEntity,
    decision: (approvalId: string) => Promise<unknown>,
  ): Promise<void> {
    if (payout.requestedBy === personOf(principal)) {
      throw new ApiError(FORBIDDEN, 'Who asked for a payout cannot decide about it. Ask another operator.');
    }
    const open = await this.approvals.openIn(slotOfPayout(payout));
    if (open === null) throw notPending(payout, REFUSALS.invalid_status_change);
    try {
      await decision(approvalIdOf(open));
    } catch (error) {
      const isLate = ApiError.is(error, APPROVAL_NOT_PENDING);
      throw isLate ? new ApiError(REFUSALS.invalid_status_change, error.message) : error;
    }
  }

  private async approved(
    { payload, decidedBy }: ApprovalOf<PayoutPayload>,
    manager: EntityManager,
  ): Promise<void> {
    const payout = await lockPending(manager, payload.payoutId);
    const held = (await this.gate.heldAmong([payout.accountId], manager)).get(payout.accountId);
    if (held !== undefined) throw withdrawalHeld(held);
    const { approved } = await this.standing.standingOf(payout.owner, manager);
    if (!approved) throw kycRequired();
    await takeStep(manager, payout, { to: 'pending', by: decidedBy });
  }
}

async function lockPending(manager: EntityManager, payoutId: string): Promise<PayoutEntity> {
  const payout = await lockPayout(manager, payoutId);
  if (payout.status === 'pending_approval' && payout.dueCommand === null) return payout;
  throw notPending(payout, APPROVAL_NOT_PENDING);
}

function notPending({ status }: PayoutEntity, code: ErrorCode): ApiError {
  return new ApiError(code, `The payout is ${status} and waits for no approval.`);
}
