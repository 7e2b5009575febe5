import { errorOf } from '../../accounts/commands/refusals.js';
import { Inject, Injectable } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import type { CorrectEventGroup, SettleEventGroup } from '../../../domain/engine/commands.js';
import { isRefusal } from '../../../domain/engine/context.js';
import type { GroupSettlementPreview } from '../../../domain/engine/preview.js';
import type { ApprovalKind, ApprovalOf } from '../../../kit/approvals/approval-kind.js';
import { ApprovalType } from '../../../kit/approvals/approval-type.js';
import { OPERATOR_MARKETS } from '../../../kit/security/operator-roles.js';
import { type ApprovalEntity, approvalIdOf } from '../../../kit/approvals/approval.entity.js';
import { Approvals } from '../../../kit/approvals/approvals.service.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { actorOf, personOf, type Principal } from '../../../kit/security/principal.js';
import { approvedKey } from '../../accounts/commands/approved-key.js';
import { resultOf } from '../../accounts/commands/outcome.js';
import type { SettlementDecision } from '../settlements/settlements.service.js';
import { type EventGroupSettlementPreviewDto, toGroupPreviewDto } from './event-group.dto.js';

type GroupCommand = SettleEventGroup | CorrectEventGroup;

/** The stored payload of a proposed settlement or correction. */
interface GroupSettlementPayload {
  readonly groupId: string;
  readonly winningMarketId: string;
}

export const GROUP_SETTLEMENT = new ApprovalType<GroupSettlementPayload>('group_settlement', {
  roles: [OPERATOR_MARKETS],
});
export const GROUP_SETTLEMENT_CORRECTION = new ApprovalType<GroupSettlementPayload>(
  'group_settlement_correction',
  { roles: [OPERATOR_MARKETS] },
);

/**
 * Settling event groups and correcting settlements; with `FOUR_EYES` by two persons who name the same market, as markets
 * are settled.
 */
@Injectable()
export class EventGroupSettlements {
  readonly settling = this.kindOf('settle_event_group');
  readonly correcting = this.kindOf('correct_event_group');

  constructor(
    private readonly core: CoreService,
    private readonly audit: AuditLog,
    private readonly approvals: Approvals,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  private kindOf(type: GroupCommand['type']): ApprovalKind<GroupSettlementPayload> {
    return {
      carryOut: async (approval) => {
        const { outcomes } = await this.core.submit({
          commands: [{ type, ...approval.payload }],
          idempotency: approvedKey(approval),
          ...(approval.decidedBy !== null && { actor: approval.decidedBy }),
        });
        resultOf(outcomes[0], 'event_group');
      },
    };
  }

  /** Throws what the settlement, or the correction of a settled group, would be refused with. */
  async preview(groupId: string, winningMarketId: string): Promise<EventGroupSettlementPreviewDto> {
    const marketIds = this.core.eventGroup(groupId)?.marketIds ?? [];
    const isSettled = marketIds.every((marketId) => this.core.market(marketId)?.status === 'settled');
    const kind = isSettled && marketIds.length > 0 ? 'correction' : 'settlement';
    const type = kind === 'correction' ? 'correct_event_group' : 'settle_event_group';
    return toGroupPreviewDto(kind, winningMarketId, await this.previewed({ type, groupId, winningMarketId }));
  }

  /**
   * Throws `event_group_not_found`, `market_not_found`, `invalid_status_change`, and `conflict` where another market is
   * proposed.
   */
  settle(principal: Principal, groupId: string, winningMarketId: string): Promise<SettlementDecision> {
    return this.carryOut(principal, { type: 'settle_event_group', groupId, winningMarketId });
  }

  /** Throws also `settlement_not_reversible`, which states the missing amount. */
  correct(principal: Principal, groupId: string, winningMarketId: string): Promise<SettlementDecision> {
    return this.carryOut(principal, { type: 'correct_event_group', groupId, winningMarketId });
  }

  private async carryOut(principal: Principal, command: GroupCommand): Promise<SettlementDecision> {
    if (this.config.fourEyes) return this.decide(principal, command);
    const { outcomes } = await this.core.submit({
      commands: [command],
      actor: actorOf(principal),
      audit: this.audit.entryFor({
        target: { type: 'event_group', id: command.groupId },
        details: { winning_market_id: command.winningMarketId },
      }),
    });
    resultOf(outcomes[0], 'event_group');
    return 'settled';
  }

  private async decide(principal: Principal, command: GroupCommand): Promise<SettlementDecision> {
    const proposal = proposalOf(command);
    const open = await this.approvals.openIn(proposal.slot);
    if (open !== null) {
      requireSame(open as ApprovalOf<GroupSettlementPayload>, proposal);
      if (open.proposedBy !== personOf(principal)) return this.approve(principal, open);
    }
    // What the engine would refuse is not worth anybody's second look.
    await this.previewed(command);
    const { proposed } = await this.approvals.propose({ principal, key: undefined }, proposal);
    return proposed.proposedBy === personOf(principal)
      ? { approval_id: approvalIdOf(proposed) }
      : this.approve(principal, proposed);
  }

  private async previewed(command: GroupCommand): Promise<GroupSettlementPreview> {
    const preview = await this.core.preview(command);
    if (isRefusal(preview)) throw errorOf(preview);
    return preview;
  }

  private async approve(principal: Principal, approval: ApprovalEntity): Promise<'settled'> {
    await this.approvals.approve(principal, approvalIdOf(approval));
    return 'settled';
  }
}

function proposalOf({ type, groupId, winningMarketId }: GroupCommand) {
  const isCorrection = type === 'correct_event_group';
  return {
    kind: isCorrection ? GROUP_SETTLEMENT_CORRECTION : GROUP_SETTLEMENT,
    subject: { type: 'event_group', id: groupId },
    owner: null,
    // A settlement and a correction of one group exclude each other.
    slot: `group_settlement:${groupId}`,
    summary: isCorrection
      ? `Correct the settlement of the event group ${groupId}: ${winningMarketId} wins.`
      : `Settle the event group ${groupId}: ${winningMarketId} wins.`,
    payload: { groupId, winningMarketId } satisfies GroupSettlementPayload,
  } as const;
}

function requireSame(
  open: ApprovalOf<GroupSettlementPayload>,
  { kind, payload: { winningMarketId } }: ReturnType<typeof proposalOf>,
): void {
  const proposed = open.payload.winningMarketId;
  if (proposed === winningMarketId && open.kind === kind.name) return;
  throw new ApiError(
    CONFLICT,
    `${open.proposedBy} proposed ${proposed}. Name that market to agree, or reject the proposal first.`,
  );
}
