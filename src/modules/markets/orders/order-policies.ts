import { Injectable } from '@nestjs/common';
import type { PlaceOrder } from '../../../domain/engine/commands.js';
import type { MarketDefinition } from '../../../domain/engine/types.js';
import { parseFeeRates } from '../../../domain/engine/fee-rates.js';
import { FeePolicy, type FeeRateOverride, MarketFees, type ProposedOrder } from '../fees/fee-policy.js';
import { AcceptAll, RiskCheck } from './risk-check.js';
import type { Awaitable } from '../../../kit/awaitable.js';
import { RISK_REFUSED } from '../errors.js';
import { ApiError } from '../../../kit/http/errors.js';
import { FeeTiers } from '../fees/fee-tiers.service.js';

/** The exchange's own fee policy and risk check, which see an order before it is queued, whichever route it comes by. */
@Injectable()
export class OrderPolicies {
  /** Whether fees are those of the schedules, rather than of a plugin. */
  readonly haveSchedules: boolean;

  constructor(
    private readonly feePolicy: FeePolicy,
    private readonly riskCheck: RiskCheck,
    private readonly tiers: FeeTiers,
  ) {
    this.haveSchedules = feePolicy instanceof MarketFees;
  }

  /** The defaults decide nothing, so calls to them can be skipped: most services have no policy of their own. */
  get areDefaults(): boolean {
    return this.haveSchedules && this.tiers.areNone && this.riskCheck instanceof AcceptAll;
  }

  /** The order with the house's verdicts. Throws `risk_refused` (422) where the house does not want it. */
  applyTo(command: PlaceOrder, market: MarketDefinition): Awaitable<PlaceOrder> {
    return this.areDefaults ? command : this.decide(command, market);
  }

  private async decide(command: PlaceOrder, market: MarketDefinition): Promise<PlaceOrder> {
    const { type: _type, feeRates: _feeRates, ...order } = command;
    await this.review(order, market);
    return { ...command, feeRates: await this.ratesFor(order, market) };
  }

  /** Throws `risk_refused` (422) where the house does not want the order. */
  async review(order: ProposedOrder, market: MarketDefinition): Promise<void> {
    const verdict = await this.riskCheck.review(order, market);
    if (!verdict.accepted) throw new ApiError(RISK_REFUSED, verdict.message);
  }

  /** The rates that the order trades at; null for the market's own. */
  async ratesFor(order: ProposedOrder, market: MarketDefinition): Promise<FeeRateOverride | null> {
    if (this.haveSchedules) {
      return (await this.tiers.tierOf(order.accountId, market.quoteAsset)).rates;
    }
    const rates = await this.feePolicy.ratesFor(order, market);
    if (rates !== null && parseFeeRates(rates) === undefined) {
      throw new Error(`the fee policy answered rates that no order can have: ${JSON.stringify(rates)}`);
    }
    return rates;
  }
}
