import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { decideInSlot, lifecycleApprovals } from '../../../core/outbox/lifecycle-approvals.js';
import type { ApprovalKind } from '../../../kit/approvals/approval-kind.js';
import { Approvals } from '../../../kit/approvals/approvals.service.js';
import { FORBIDDEN } from '../../../kit/http/error-codes.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiError } from '../../../kit/http/errors.js';
import { personOf, type Principal } from '../../../kit/security/principal.js';
import { WithdrawalGate, withdrawalHeld } from '../../users/withdrawal-gate.js';
import { KycStanding } from '../kyc/kyc-standing.js';
import { PayoutLifecycle, type PayoutStep, waitsForNone } from './payout-lifecycle.service.js';
import { type PayoutPayload, slotOfPayout } from './payout-proposal.js';
import type { PayoutEntity } from './payout.entity.js';
import { kycRequired } from './payouts.service.js';

/** Large payouts need a second person: not the requester, not the owner, and nobody related to them. */
@Injectable()
export class PayoutApprovals {
  readonly kind: ApprovalKind<PayoutPayload>;

  constructor(
    private readonly approvals: Approvals,
    private readonly standing: KycStanding,
    private readonly gate: WithdrawalGate,
    payouts: PayoutLifecycle,
  ) {
    this.kind = lifecycleApprovals(payouts, {
      idIn: ({ payoutId }) => payoutId,
      check: (payout, manager) => this.check(payout, manager),
      approval: (by): PayoutStep => ({ to: 'pending', by }),
      rejection: payoutRejection,
    });
  }

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
    await decideInSlot(
      this.approvals,
      slotOfPayout(payout),
      decision,
      (message = waitsForNone(payout)) => new ApiError(REFUSALS.invalid_status_change, message),
    );
  }

  private async check({ accountId, owner }: PayoutEntity, manager: EntityManager): Promise<void> {
    const held = (await this.gate.heldAmong([accountId], manager)).get(accountId);
    if (held !== undefined) throw withdrawalHeld(held);
    const { approved } = await this.standing.standingOf(owner, manager);
    if (!approved) throw kycRequired();
  }
}

/** A payout that an operator does not let go. */
export function payoutRejection(by: string | null, reason: string): PayoutStep {
  return { to: 'failed', by, code: 'rejected', message: reason };
}
