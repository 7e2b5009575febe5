import type { Side } from '../../../domain/engine/types.js';
import type { ProposedOrder } from '../../../platform/extension/fee-policy.js';

/** What the house is asked about a quote: the order that accepting it places. */
export function quotedOrder(terms: {
  readonly accountId: number;
  readonly marketId: string;
  readonly side: Side;
  readonly sizeLots: number;
}): ProposedOrder {
  const { accountId, marketId, side, sizeLots } = terms;
  return {
    accountId,
    marketId,
    side,
    orderType: 'market',
    timeInForce: 'FOK',
    priceTicks: null,
    stopPriceTicks: null,
    sizeLots,
    expiresAtMs: null,
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'cancel_newest',
    clientOrderId: null,
  };
}
