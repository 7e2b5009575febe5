import { Injectable } from '@nestjs/common';
import {
  RiskCheck,
  amount,
  formatAmount,
  type MarketDefinition,
  type OrderContext,
  type ProposedOrder,
  type RiskVerdict,
} from '../../src/index.js';
import { DeskLimits } from './desk-limits.js';

/** Refuses orders that are larger than their account's desk may place. */
@Injectable()
export class DeskLimitCheck extends RiskCheck {
  constructor(private readonly limits: DeskLimits) {
    super();
  }

  override review(
    { sizeLots }: ProposedOrder,
    { lotSize }: MarketDefinition,
    { owner }: OrderContext,
  ): RiskVerdict {
    const limit = this.limits.get(owner.account);
    if (limit === undefined || BigInt(sizeLots) * lotSize <= BigInt(limit)) return { accepted: true };
    const maxSize = formatAmount(amount(BigInt(limit)));
    return { accepted: false, message: `The desk may place orders of ${maxSize} at most.` };
  }
}
