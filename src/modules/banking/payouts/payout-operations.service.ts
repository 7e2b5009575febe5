import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Not, Repository } from 'typeorm';
import type { AuditTarget } from '../../../kit/audit/audit-entry.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { SecondPerson } from '../../../kit/approvals/second-person.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiError } from '../../../kit/http/errors.js';
import { type Page, pageOf } from '../../../kit/http/pagination.js';
import { periodOf } from '../../../kit/http/period.js';
import { decodeTimedCursor, selectTimed } from '../../../kit/http/timed-list.js';
import { personOf, type Principal } from '../../../kit/security/principal.js';
import { WithdrawalGate } from '../../users/withdrawal-gate.js';
import { PayoutApprovals } from './payout-approvals.service.js';
import { payoutIdOf } from './payout-commands.js';
import { PAYOUT_ORDER, placeOfPayout } from './payout-order.js';
import { payoutNotFound, PayoutSteps } from './payout-steps.service.js';
import {
  type ListAllPayoutsQueryDto,
  type OperatorPayoutDto,
  type RejectPayoutDto,
  type ReportPayoutDto,
  toOperatorPayoutDto,
} from './payout.dto.js';
import { PayoutEntity } from './payout.entity.js';
import { PAYOUT_IDS } from '../ids.js';

/** Payouts as operators see them, let them go or not, and tell what banks say of them. */
@Injectable()
export class PayoutOperationsService {
  constructor(
    @InjectRepository(PayoutEntity) private readonly payouts: Repository<PayoutEntity>,
    private readonly steps: PayoutSteps,
    private readonly approvals: PayoutApprovals,
    private readonly secondPerson: SecondPerson,
    private readonly audit: AuditLog,
    private readonly gate: WithdrawalGate,
  ) {}

  /** Newest first. Throws `invalid_cursor`, `validation_failed` (400). */
  async list(query: ListAllPayoutsQueryDto): Promise<Page<OperatorPayoutDto>> {
    const before = decodeTimedCursor(query.cursor);
    const selection = this.payouts.createQueryBuilder('p').where({
      acceptedAt: Not(IsNull()),
      ...(query.status !== undefined && { status: query.status }),
      ...(query.rail !== undefined && { rail: query.rail }),
    });
    const rows = await selectTimed(selection, PAYOUT_ORDER, periodOf(query), before)
      .limit(query.limit + 1)
      .getMany();
    const held = await this.gate.heldAmong(rows.map(({ accountId }) => accountId));
    return pageOf(rows, query.limit, placeOfPayout, (payout) =>
      toOperatorPayoutDto(payout, held.get(payout.accountId)),
    );
  }

  /** Throws `not_found` (404), and as `PayoutApprovals.approve`. */
  async approve(principal: Principal, text: string): Promise<OperatorPayoutDto> {
    await this.approvals.approve(principal, await this.find(text));
    return this.show(await this.find(text));
  }

  /**
   * Gives the money back, of a payout that waits for an approval, or that is held. Throws `not_found` (404),
   * and as `PayoutApprovals.reject`.
   */
  async reject(principal: Principal, text: string, { reason }: RejectPayoutDto): Promise<OperatorPayoutDto> {
    const payout = await this.find(text);
    if (payout.status === 'pending') await this.rejectHeld(principal, payout, reason);
    else await this.approvals.reject(principal, payout, reason);
    return this.show(await this.find(text));
  }

  /**
   * Throws `not_found` (404), `same_person` or `related_person` (403) for the requester or owner, and
   * `invalid_status_change` (409) if the transition does not exist.
   */
  async report(principal: Principal, text: string, body: ReportPayoutDto): Promise<OperatorPayoutDto> {
    const { status, code = null, message = null } = body;
    const by = personOf(principal);
    return this.show(
      await this.steps.take(payoutIdIn(text), async (payout, manager) => {
        const { requestedBy, owner } = payout;
        await this.secondPerson.require(manager, by, { proposedBy: requestedBy, owner });
        // No bank can report a payout before a file contains it.
        if (payout.fileId === null) throw invalidStep(`The payout is ${payout.status}: no file has it yet.`);
        await this.audit.record(manager, { target: targetOf(text), details: { status, code } });
        return { to: status, by, code, message };
      }),
    );
  }

  /** Rejects a payout that needs no approval, but whose account is frozen, or its owner locked or closed. */
  private async rejectHeld(principal: Principal, { payoutId }: PayoutEntity, reason: string): Promise<void> {
    const by = personOf(principal);
    await this.steps.take(payoutId, async (payout, manager) => {
      const { requestedBy, owner, accountId, status } = payout;
      await this.secondPerson.require(manager, by, { proposedBy: requestedBy, owner });
      const held = await this.gate.heldAmong([accountId], manager);
      if (status !== 'pending' || held.size === 0) {
        throw invalidStep(`The payout is ${status}, waits for no approval and is not held.`);
      }
      const target = { type: 'payout', id: payoutIdOf(payout) };
      await this.audit.record(manager, { target, details: { status: 'failed', reason } });
      return { to: 'failed', by, code: 'rejected', message: reason };
    });
  }

  private async show(payout: PayoutEntity): Promise<OperatorPayoutDto> {
    const held = await this.gate.heldAmong([payout.accountId]);
    return toOperatorPayoutDto(payout, held.get(payout.accountId));
  }

  private async find(text: string): Promise<PayoutEntity> {
    const payout = await this.payouts.findOneBy({ payoutId: payoutIdIn(text), acceptedAt: Not(IsNull()) });
    if (payout === null) throw payoutNotFound();
    return payout;
  }
}

function payoutIdIn(text: string): string {
  const payoutId = PAYOUT_IDS.parse(text);
  if (payoutId === undefined) throw payoutNotFound();
  return String(payoutId);
}

function targetOf(id: string): AuditTarget {
  return { type: 'payout', id };
}

function invalidStep(message: string): ApiError {
  return new ApiError(REFUSALS.invalid_status_change, message);
}
