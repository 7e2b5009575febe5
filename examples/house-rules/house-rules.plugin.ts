import { Injectable } from '@nestjs/common';
import {
  parseAmount,
  RiskCheck,
  TradepostPlugin,
  type MarketDefinition,
  type OrderContext,
  type ProposedOrder,
  type RiskVerdict,
} from '../../src/index.js';

const NO_EVENT_MARKETS = new Set(['FR', 'PT', 'SG']);
/** In the market's base asset, or in contracts. */
const SIZE_MAX_UNKNOWN = parseAmount('10')!;

/** Some countries do not allow bets on events. */
@Injectable()
class Countries extends RiskCheck {
  override review(_order: ProposedOrder, { kind }: MarketDefinition, { owner }: OrderContext): RiskVerdict {
    if (kind !== 'event' || owner.country === null || !NO_EVENT_MARKETS.has(owner.country))
      return { accepted: true };
    return { accepted: false, message: `Event markets are closed to residents of ${owner.country}.` };
  }
}

/** Whoever is not known yet trades little at a time. */
@Injectable()
class Strangers extends RiskCheck {
  override review(
    { sizeLots }: ProposedOrder,
    { lotSize }: MarketDefinition,
    { owner }: OrderContext,
  ): RiskVerdict {
    if (owner.level > 0 || BigInt(sizeLots) * lotSize <= SIZE_MAX_UNKNOWN) return { accepted: true };
    return { accepted: false, message: 'Verify your identity by POST /kyc for orders of this size.' };
  }
}

/** Two rules of the house about orders, which go by who the owner is; both see every order. */
@TradepostPlugin({ name: 'house-rules', compatibility: '^0.1.0', checks: [Countries, Strangers] })
export default class HouseRulesPlugin {}
