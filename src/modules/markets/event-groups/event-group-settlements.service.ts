import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import type { SettleEventGroup } from '../../../domain/engine/commands.js';
import { isRefusal } from '../../../domain/engine/context.js';
import { ApprovalKinds, type ApprovalOf } from '../../../platform/approvals/approval-kind.js';
import { type ApprovalEntity, approvalIdOf } from '../../../platform/approvals/approval.entity.js';
import { Approvals } from '../../../platform/approvals/approvals.service.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { CONFIG, type Config } from '../../../platform/config/config.js';
import { ApiError } from '../../../platform/http/errors.js';
import { actorOf, personOf, type Principal } from '../../../platform/security/principal.js';
import { approvedKey } from '../../core-access/approved-key.js';
import { resultOf } from '../../core-access/outcome.js';
import type { SettlementDecision } from '../settlements/settlements.service.js';
import { type EventGroupSettlementPreviewDto, toGroupPreviewDto } from './event-group.dto.js';

/** The stored payload of a proposed settlement. */
interface GroupSettlementPayload {
  readonly groupId: string;
  readonly winningMarketId: string;
}

/** Settling event groups; with `FOUR_EYES` by two persons who name the same market, as markets are settled. */
@Injectable()
export class EventGroupSettlements implements OnModuleInit {
  constructor(
    private readonly core: CoreService,
    private readonly audit: AuditLog,
    private readonly approvals: Approvals,
    private readonly kinds: ApprovalKinds,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.kinds.register<GroupSettlementPayload>({
      name: 'group_settlement',
      carryOut: async (approval) => {
        const { outcomes } = await this.core.submit({
          commands: [{ type: 'settle_event_group', ...approval.payload }],
          idempotency: approvedKey(approval),
          ...(approval.decidedBy !== null && { actor: approval.decidedBy }),
        });
        resultOf(outcomes[0], 'event_group');
      },
    });
  }

  /** Throws what the settlement would be refused with. */
  async preview(groupId: string, winningMarketId: string): Promise<EventGroupSettlementPreviewDto> {
    const preview = await this.core.preview(commandOf({ groupId, winningMarketId }));
    if (isRefusal(preview)) throw ApiError.fromRefusal(preview);
    return toGroupPreviewDto(winningMarketId, preview);
  }

  /**
   * Throws `event_group_not_found`, `market_not_found`, `invalid_status_change`, and `conflict` where another market is
   * proposed.
   */
  async settle(principal: Principal, groupId: string, winningMarketId: string): Promise<SettlementDecision> {
    const payload = { groupId, winningMarketId };
    if (this.config.fourEyes) return this.decide(principal, payload);
    const { outcomes } = await this.core.submit({
      commands: [commandOf(payload)],
      actor: actorOf(principal),
      audit: this.audit.entryFor({
        target: { type: 'event_group', id: groupId },
        details: { winning_market_id: winningMarketId },
      }),
    });
    resultOf(outcomes[0], 'event_group');
    return 'settled';
  }

  private async decide(principal: Principal, payload: GroupSettlementPayload): Promise<SettlementDecision> {
    const slot = `group_settlement:${payload.groupId}`;
    const open = await this.approvals.openIn(slot);
    if (open !== null) {
      requireSame(open as ApprovalOf<GroupSettlementPayload>, payload);
      if (open.proposedBy !== personOf(principal)) return this.approve(principal, open);
    }
    await this.preview(payload.groupId, payload.winningMarketId);
    const { groupId, winningMarketId } = payload;
    const { proposed } = await this.approvals.propose(
      { principal, key: undefined },
      {
        kind: 'group_settlement',
        subject: { type: 'event_group', id: groupId },
        owner: null,
        slot,
        summary: `Settle the event group ${groupId}: ${winningMarketId} wins.`,
        payload,
      },
    );
    return proposed.proposedBy === personOf(principal) ? 'proposed' : this.approve(principal, proposed);
  }

  private async approve(principal: Principal, approval: ApprovalEntity): Promise<'settled'> {
    await this.approvals.approve(principal, approvalIdOf(approval));
    return 'settled';
  }
}

function commandOf(payload: GroupSettlementPayload): SettleEventGroup {
  return { type: 'settle_event_group', ...payload };
}

function requireSame(
  open: ApprovalOf<GroupSettlementPayload>,
  { winningMarketId }: GroupSettlementPayload,
): void {
  const proposed = open.payload.winningMarketId;
  if (proposed === winningMarketId) return;
  throw new ApiError(
    'conflict',
    `${open.proposedBy} proposed ${proposed}. Name that market to agree, or reject the proposal first.`,
  );
}
