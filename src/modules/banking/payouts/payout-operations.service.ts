import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, LessThan, Not, Repository } from 'typeorm';
import { parseId } from '../../../domain/ids.js';
import { ApiError } from '../../../platform/http/errors.js';
import { decodeCursor, type Page, pageOf } from '../../../platform/http/pagination.js';
import { personOf, type Principal } from '../../../platform/security/principal.js';
import { KycStanding } from '../kyc/kyc-standing.js';
import { payoutNotFound, PayoutSteps } from './payout-steps.service.js';
import {
  type ListAllPayoutsQueryDto,
  type OperatorPayoutDto,
  type RejectPayoutDto,
  type ReportPayoutDto,
  toOperatorPayoutDto,
} from './payout.dto.js';
import { PayoutEntity } from './payout.entity.js';
import { kycRequired } from './payouts.service.js';

/** Payouts as operators see them, let them go or not, and tell what banks say of them. */
@Injectable()
export class PayoutOperationsService {
  constructor(
    @InjectRepository(PayoutEntity) private readonly payouts: Repository<PayoutEntity>,
    private readonly steps: PayoutSteps,
    private readonly standing: KycStanding,
  ) {}

  /** Newest first. */
  async list(query: ListAllPayoutsQueryDto): Promise<Page<OperatorPayoutDto>> {
    const before = decodeCursor(query.cursor, ['integer']);
    const rows = await this.payouts.find({
      where: {
        acceptedAt: Not(IsNull()),
        ...(before && { payoutId: LessThan(String(before[0])) }),
        ...(query.status !== undefined && { status: query.status }),
        ...(query.rail !== undefined && { rail: query.rail }),
      },
      order: { payoutId: 'DESC' },
      take: query.limit + 1,
    });
    return pageOf(rows, query.limit, ({ payoutId }) => [Number(payoutId)], toOperatorPayoutDto);
  }

  /**
   * Throws `not_found` (404), `forbidden` (403) for who asked for it, `invalid_status_change` (409) where it
   * waits for no approval, `kyc_required` (422) where the owner's KYC is not approved any more.
   */
  approve(principal: Principal, text: string): Promise<OperatorPayoutDto> {
    return this.decide(principal, text, async (payout, manager) => {
      const { approved } = await this.standing.standingOf(payout.owner, manager);
      if (!approved) throw kycRequired();
      return { to: 'pending', by: personOf(principal) };
    });
  }

  /** Gives the money back. Throws as `approve` does, but for `kyc_required`. */
  reject(principal: Principal, text: string, { reason }: RejectPayoutDto): Promise<OperatorPayoutDto> {
    return this.decide(principal, text, () => ({
      to: 'failed',
      by: personOf(principal),
      code: 'rejected',
      message: reason,
    }));
  }

  /** Throws `not_found` (404), and `invalid_status_change` (409) where the payout cannot become that. */
  async report(principal: Principal, text: string, body: ReportPayoutDto): Promise<OperatorPayoutDto> {
    const { status, code = null, message = null } = body;
    const by = personOf(principal);
    return toOperatorPayoutDto(
      await this.steps.take(payoutIdIn(text), (payout) => {
        // Before a file has it, no bank can have said anything.
        if (payout.fileId === null) throw invalidStep(`The payout is ${payout.status}: no file has it yet.`);
        return { to: status, by, code, message };
      }),
    );
  }

  private async decide(
    principal: Principal,
    text: string,
    stepOf: Parameters<PayoutSteps['take']>[1],
  ): Promise<OperatorPayoutDto> {
    return toOperatorPayoutDto(
      await this.steps.take(payoutIdIn(text), (payout, manager) => {
        if (payout.requestedBy === personOf(principal)) {
          throw new ApiError(
            'forbidden',
            'Who asked for a payout cannot decide about it. Ask another operator.',
          );
        }
        if (payout.status !== 'pending_approval') {
          throw invalidStep(`The payout is ${payout.status} and waits for no approval.`);
        }
        return stepOf(payout, manager);
      }),
    );
  }
}

function payoutIdIn(text: string): string {
  const payoutId = parseId('pay', text);
  if (payoutId === undefined) throw payoutNotFound();
  return String(payoutId);
}

function invalidStep(message: string): ApiError {
  return new ApiError('invalid_status_change', message);
}
