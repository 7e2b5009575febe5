import { errorOf } from '../../accounts/commands/refusals.js';
import { Injectable } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import { approvedKey } from '../../accounts/commands/approved-key.js';
import { resultOf } from '../../accounts/commands/outcome.js';
import type { CorrectSettlement } from '../../../domain/engine/commands.js';
import { isRefusal } from '../../../domain/engine/context.js';
import type { SettleMarket } from '../../../domain/engine/preview.js';
import { formatAmount, parseAmount } from '../../../domain/money/amount.js';
import type { ApprovalKind, ApprovalOf } from '../../../kit/approvals/approval-kind.js';
import { ApprovalType } from '../../../kit/approvals/approval-type.js';
import { OPERATOR_MARKETS } from '../../../kit/security/operator-roles.js';
import { type ApprovalEntity, approvalIdOf } from '../../../kit/approvals/approval.entity.js';
import { Approvals } from '../../../kit/approvals/approvals.service.js';
import { NOT_FOUND, CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { personOf, type Principal } from '../../../kit/security/principal.js';

export type SettlementCommand = SettleMarket | CorrectSettlement;

/** The stored payload of a proposed settlement or correction. */
interface SettlementPayload {
  readonly marketId: string;
  /** A decimal number without trailing zeros. */
  readonly settlementValue: string;
}

export const SETTLEMENT = new ApprovalType<SettlementPayload>('settlement', { roles: [OPERATOR_MARKETS] });
export const SETTLEMENT_CORRECTION = new ApprovalType<SettlementPayload>('settlement_correction', {
  roles: [OPERATOR_MARKETS],
});

/** Settlements by two persons: one operator's request is a proposal, and the same request from another approves it. */
@Injectable()
export class SettlementApprovals {
  readonly kind: ApprovalKind<SettlementPayload> = { carryOut: (approval) => this.carryOut(approval) };

  constructor(
    private readonly core: CoreService,
    private readonly approvals: Approvals,
  ) {}

  /** The proposal of a market that waits for a second person; null where none does. */
  async pending(marketId: string): Promise<ApprovalOf<SettlementPayload> | null> {
    const open = await this.approvals.openIn(slotOf(marketId));
    return open?.status === 'pending' ? withPayload(open) : null;
  }

  /**
   * Proposes the command, or approves it where another person proposed the same. Throws `conflict` (409) where
   * somebody proposed another value, and what the engine would refuse it with.
   */
  async decide(
    principal: Principal,
    command: SettlementCommand,
  ): Promise<'settled' | { readonly approval_id: string }> {
    const open = await this.approvals.openIn(slotOf(command.marketId));
    if (open !== null) {
      requireSameValue(withPayload(open), command);
      if (open.proposedBy !== personOf(principal)) return this.approve(principal, open);
    }
    // What the engine would refuse is not worth anybody's second look, such as what has been settled meanwhile.
    const preview = await this.core.preview(command);
    if (isRefusal(preview)) throw errorOf(preview);
    const { proposed } = await this.approvals.propose({ principal, key: undefined }, proposalOf(command));
    return proposed.proposedBy === personOf(principal)
      ? { approval_id: approvalIdOf(proposed) }
      : this.approve(principal, proposed);
  }

  /** Takes back what waits for a second person. Throws `not_found` (404). */
  async withdraw(principal: Principal, marketId: string): Promise<void> {
    const open = await this.pending(marketId);
    if (open === null) {
      throw new ApiError(NOT_FOUND, 'No settlement of this market waits for a second operator.');
    }
    await this.approvals.reject(principal, approvalIdOf(open), 'withdrawn');
  }

  private async approve(principal: Principal, approval: ApprovalEntity): Promise<'settled'> {
    await this.approvals.approve(principal, approvalIdOf(approval));
    return 'settled';
  }

  private async carryOut(approval: ApprovalOf<SettlementPayload>): Promise<void> {
    const { marketId, settlementValue } = approval.payload;
    const command: SettlementCommand =
      approval.kind === SETTLEMENT_CORRECTION.name
        ? { type: 'correct_settlement', marketId, settlementValue }
        : { type: 'set_market_status', marketId, status: 'settled', settlementValue };
    const { outcomes } = await this.core.submit({
      commands: [command],
      idempotency: approvedKey(approval),
      ...(approval.decidedBy !== null && { actor: approval.decidedBy }),
    });
    resultOf(outcomes[0], 'market');
  }
}

function proposalOf(command: SettlementCommand) {
  const { marketId } = command;
  const settlementValue = valueOf(command);
  const isCorrection = command.type === 'correct_settlement';
  return {
    kind: isCorrection ? SETTLEMENT_CORRECTION : SETTLEMENT,
    subject: { type: 'market', id: marketId },
    owner: null,
    slot: slotOf(marketId),
    summary: isCorrection
      ? `Correct the settlement of the market ${marketId} to ${settlementValue}.`
      : `Settle the market ${marketId} at ${settlementValue}.`,
    payload: { marketId, settlementValue } satisfies SettlementPayload,
  } as const;
}

function requireSameValue(open: ApprovalOf<SettlementPayload>, command: SettlementCommand): void {
  const proposed = open.payload.settlementValue;
  if (proposed === valueOf(command)) return;
  throw new ApiError(
    CONFLICT,
    `${open.proposedBy} proposed ${proposed}. Send that value to agree, or withdraw the proposal first.`,
  );
}

function withPayload(approval: ApprovalEntity): ApprovalOf<SettlementPayload> {
  return approval as ApprovalOf<SettlementPayload>;
}

function valueOf({ settlementValue }: SettlementCommand): string {
  return formatAmount(parseAmount(settlementValue!)!);
}

/** A settlement and a correction of one market exclude each other. */
function slotOf(marketId: string): string {
  return `settlement:${marketId}`;
}
