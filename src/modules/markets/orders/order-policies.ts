import { Injectable } from '@nestjs/common';
import type { PlaceOrder } from '../../../domain/engine/commands.js';
import type { MarketDefinition } from '../../../domain/engine/types.js';
import { ONE, parseAmount } from '../../../domain/money/amount.js';
import {
  FeePolicy,
  type FeeRateOverride,
  MarketFees,
  type ProposedOrder,
} from '../../../platform/extension/fee-policy.js';
import { AcceptAll, RiskCheck } from '../../../platform/extension/risk-check.js';
import { ApiError } from '../../../platform/http/errors.js';

/** The exchange's own fee policy and risk check, which see an order before it is queued, whichever route it comes by. */
@Injectable()
export class OrderPolicies {
  /** The defaults decide nothing, so calls to them can be skipped: most services have no policy of their own. */
  readonly areDefaults: boolean;

  constructor(
    private readonly feePolicy: FeePolicy,
    private readonly riskCheck: RiskCheck,
  ) {
    this.areDefaults = feePolicy instanceof MarketFees && riskCheck instanceof AcceptAll;
  }

  /** The order with the house's verdicts. Throws `risk_refused` (422) where the house does not want it. */
  async applyTo(command: PlaceOrder, market: MarketDefinition): Promise<PlaceOrder> {
    if (this.areDefaults) return command;
    const { type: _type, feeRates: _feeRates, ...order } = command;
    await this.review(order, market);
    return { ...command, feeRates: await this.ratesFor(order, market) };
  }

  /** Throws `risk_refused` (422) where the house does not want the order. */
  async review(order: ProposedOrder, market: MarketDefinition): Promise<void> {
    const verdict = await this.riskCheck.review(order, market);
    if (!verdict.accepted) throw new ApiError('risk_refused', verdict.message);
  }

  /** The rates that the order trades at; null for the market's own. */
  async ratesFor(order: ProposedOrder, market: MarketDefinition): Promise<FeeRateOverride | null> {
    const rates = await this.feePolicy.ratesFor(order, market);
    if (rates !== null && !(isFeeRate(rates.maker) && isFeeRate(rates.taker))) {
      throw new Error(`the fee policy answered rates outside [0, 1): ${JSON.stringify(rates)}`);
    }
    return rates;
  }
}

/** With rates of 1 and above, a sale could cost more than it brings in. */
function isFeeRate(text: string): boolean {
  const rate = parseAmount(text);
  return rate !== undefined && rate < ONE;
}
