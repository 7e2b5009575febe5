import { Injectable } from '@nestjs/common';
import {
  FeePolicy,
  TradepostPlugin,
  type FeeRateOverride,
  type MarketDefinition,
  type OrderContext,
  type ProposedOrder,
} from '../../src/index.js';

/** By the groups that an outside identity names; the first that fits. */
const BY_GROUP: readonly (readonly [group: string, rates: FeeRateOverride])[] = [
  ['market-makers', { maker: '-0.0001', taker: '0.0004' }],
  ['partners', { maker: '0', taker: '0.0008' }],
];
/** Who is verified pays less than a stranger. */
const VERIFIED: FeeRateOverride = { maker: '0.0003', taker: '0.0009' };

@Injectable()
class GroupFees extends FeePolicy {
  override ratesFor(
    _order: ProposedOrder,
    _market: MarketDefinition,
    { owner }: OrderContext,
  ): FeeRateOverride | null {
    const ofGroup = BY_GROUP.find(([group]) => owner.groups.includes(group));
    if (ofGroup !== undefined) return ofGroup[1];
    // Null leaves it to the next policy, and at last to the fee schedules.
    return owner.level > 0 ? VERIFIED : null;
  }
}

/** Fees by who the owner is. */
@TradepostPlugin({ name: 'group-fees', compatibility: '^0.1.0', feePolicies: [GroupFees] })
export default class GroupFeesPlugin {}
