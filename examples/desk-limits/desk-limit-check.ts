import { Injectable } from '@nestjs/common';
import {
  RiskCheck,
  formatAmount,
  type MarketDefinition,
  type ProposedOrder,
  type RiskVerdict,
} from '../../src/index.js';
import { DeskLimitsService } from './desk-limits.service.js';

/** Refuses orders that are larger than their account's desk may place. */
@Injectable()
export class DeskLimitCheck extends RiskCheck {
  constructor(private readonly limits: DeskLimitsService) {
    super();
  }

  override async review(
    { accountId, sizeLots }: ProposedOrder,
    { lotSize }: MarketDefinition,
  ): Promise<RiskVerdict> {
    const maxSize = await this.limits.maxSizeOf(accountId);
    if (maxSize === undefined || BigInt(sizeLots) * lotSize <= maxSize) return { accepted: true };
    return { accepted: false, message: `The desk may place orders of ${formatAmount(maxSize)} at most.` };
  }
}
