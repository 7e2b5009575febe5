/** Changing what operators say of a market: words, bounds, fees, the time at which it closes. */
import { type Amount, amount, formatAmount, UNITS_PER_ONE } from '../money/amount.js';
import type { ChangeMarket, CommandResult, CreateMarket, Refusal } from './commands.js';
import { type Context, isRefusal, MARKET_NOT_FOUND, refusal } from './context.js';
import { defineMarket } from './markets.js';
import type { Market } from './state.js';
import type { MarketDefinition } from './types.js';

/**
 * Bounds and fees are those of orders to come: what rests keeps its price, its size, its fee rates, and the money that
 * is held for them.
 */
export function changeMarket(context: Context, command: ChangeMarket): CommandResult | Refusal {
  const { state, changes, timeMs } = context;
  const market = state.markets.get(command.marketId);
  if (market === undefined) return MARKET_NOT_FOUND;
  const noChange = checkChange(market, command, timeMs);
  if (noChange !== null) return noChange;
  const { definition } = market;
  const changed = defineMarket({ ...termsOf(definition), ...command, type: 'create_market' });
  if (isRefusal(changed)) return changed;

  const hasOtherFees =
    changed.makerFeeRate !== definition.makerFeeRate || changed.takerFeeRate !== definition.takerFeeRate;
  market.definition = {
    ...changed,
    originalMakerFeeRate: definition.originalMakerFeeRate ?? (hasOtherFees ? definition.makerFeeRate : null),
    originalTakerFeeRate: definition.originalTakerFeeRate ?? (hasOtherFees ? definition.takerFeeRate : null),
    revision: (definition.revision ?? 0) + 1,
  };
  market.rowChanged = true;
  changes.touch(market, timeMs);
  if (command.closesAtMs !== undefined) {
    state.unscheduleMarket(market);
    state.scheduleMarket(market);
  }
  return { type: 'market', marketId: command.marketId };
}

function checkChange(market: Market, { closesAtMs }: ChangeMarket, timeMs: number): Refusal | null {
  if (market.status === 'settling' || market.status === 'settled') {
    return refusal('invalid_status_change', `A market that is ${market.status} does not change.`);
  }
  if (closesAtMs === undefined) return null;
  if (market.status === 'closed') {
    return refusal('invalid_status_change', 'A market that has closed cannot close at another time.');
  }
  if (closesAtMs === null || closesAtMs > timeMs) return null;
  return refusal('invalid_market', 'closes_at must be ahead. To close the market now, set its status.');
}

/** In percent. */
export function bandText({
  marketOrderBandBps,
}: Pick<MarketDefinition, 'marketOrderBandBps'>): string | null {
  if (marketOrderBandBps === null) return null;
  return formatAmount(amount((BigInt(marketOrderBandBps) * UNITS_PER_ONE) / 100n));
}

/** The command that would make a market of this definition. */
function termsOf(definition: MarketDefinition): CreateMarket {
  const { tickSize, lotSize } = definition;
  const units = (count: number, unit: Amount): string => formatAmount(amount(BigInt(count) * unit));
  return {
    type: 'create_market',
    marketId: definition.marketId,
    kind: definition.kind,
    title: definition.title,
    description: definition.description,
    category: definition.category,
    baseAsset: definition.baseAsset,
    quoteAsset: definition.quoteAsset,
    tickSize: formatAmount(tickSize),
    lotSize: formatAmount(lotSize),
    minSize: units(definition.minSizeLots, lotSize),
    maxSize: units(definition.maxSizeLots, lotSize),
    minNotional: formatAmount(definition.minNotional),
    priceMin: units(definition.priceMinTicks, tickSize),
    priceMax: units(definition.priceMaxTicks, tickSize),
    makerFeeRate: formatAmount(definition.makerFeeRate),
    takerFeeRate: formatAmount(definition.takerFeeRate),
    feeBase: definition.feeBase,
    opensAtMs: definition.opensAtMs,
    closesAtMs: definition.closesAtMs,
    marketOrderBand: bandText(definition),
  };
}
