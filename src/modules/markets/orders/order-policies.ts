import { Inject, Injectable } from '@nestjs/common';
import type { AmendOrder, PlaceOrder } from '../../../domain/engine/commands.js';
import type { MarketDefinition, OrderSnapshot } from '../../../domain/engine/types.js';
import { parseFeeRates } from '../../../domain/engine/fee-rates.js';
import { formatAmount } from '../../../domain/money/amount.js';
import type { Awaitable } from '../../../kit/awaitable.js';
import { ApiError } from '../../../kit/http/errors.js';
import { RISK_REFUSED } from '../errors.js';
import { FeeTiers } from '../fees/fee-tiers.service.js';
import { FeePolicy, type FeeRateOverride, type ProposedOrder } from '../policies/fee-policy.js';
import { OrderOwners } from '../policies/order-owners.js';
import { RiskCheck } from '../policies/risk-check.js';

/** The house's fee policies and risk checks, which see an order before it is queued, whichever route it comes by. */
@Injectable()
export class OrderPolicies {
  constructor(
    @Inject(FeePolicy) private readonly feePolicies: readonly FeePolicy[],
    @Inject(RiskCheck) private readonly checks: readonly RiskCheck[],
    private readonly owners: OrderOwners,
    private readonly tiers: FeeTiers,
  ) {}

  /** Nothing is decided, so calls can be skipped: most services have no policy of their own. */
  get areDefaults(): boolean {
    return this.checks.length === 0 && this.feePolicies.length === 0 && this.tiers.areNone;
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
    if (this.checks.length === 0) return;
    const owner = await this.owners.of(order.accountId);
    const reviews = this.checks.map(async (check) => check.review(order, market, { owner }));
    for (const review of await Promise.allSettled(reviews)) {
      if (review.status === 'rejected') throw review.reason;
      if (!review.value.accepted) throw new ApiError(RISK_REFUSED, review.value.message);
    }
  }

  /** About the order that the amendment makes. Throws `risk_refused` (422) where the house does not want it. */
  async reviewAmended(order: OrderSnapshot, command: AmendOrder, market: MarketDefinition): Promise<void> {
    if (this.checks.length > 0) await this.review(amended(order, command), market);
  }

  /** The rates that the order trades at; null for the market's own. */
  async ratesFor(order: ProposedOrder, market: MarketDefinition): Promise<FeeRateOverride | null> {
    return (
      (await this.ratesByPolicy(order, market)) ??
      (await this.tiers.tierOf(order.accountId, market.quoteAsset)).rates
    );
  }

  /** Null where no policy has rates for it. */
  async ratesByPolicy(order: ProposedOrder, market: MarketDefinition): Promise<FeeRateOverride | null> {
    if (this.feePolicies.length === 0) return null;
    const owner = await this.owners.of(order.accountId);
    for (const policy of this.feePolicies) {
      const rates = await policy.ratesFor(order, market, { owner });
      if (rates === null) continue;
      if (parseFeeRates(rates) === undefined)
        throw new Error(
          `${policy.constructor.name} answered rates that no order can have: ${JSON.stringify(rates)}`,
        );
      return rates;
    }
    return null;
  }
}

/** The order as an amendment leaves it. */
function amended(
  order: OrderSnapshot,
  { priceTicks, sizeLots }: Pick<AmendOrder, 'priceTicks' | 'sizeLots'>,
): ProposedOrder {
  const { advanced } = order;
  return {
    accountId: order.accountId,
    marketId: order.marketId,
    side: order.side,
    orderType: order.type,
    timeInForce: order.timeInForce,
    priceTicks: priceTicks ?? order.priceTicks,
    stopPriceTicks: order.stopPriceTicks,
    sizeLots: sizeLots ?? order.sizeLots,
    ...(advanced?.quoteSize != null && { quoteSize: formatAmount(advanced.quoteSize) }),
    ...(advanced?.displayLots != null && { displayLots: advanced.displayLots }),
    ...(advanced?.stopTrigger != null && { stopTrigger: advanced.stopTrigger }),
    ...(advanced?.trailingTicks != null && { trailingTicks: advanced.trailingTicks }),
    ...(advanced?.trailingBps != null && { trailingBps: advanced.trailingBps }),
    expiresAtMs: order.expiresAtMs,
    postOnly: order.postOnly,
    reduceOnly: order.reduceOnly,
    selfTradePrevention: order.selfTradePrevention,
    clientOrderId: order.clientOrderId,
  };
}
