/** Creating markets, and changing their status from scheduled to settled. */
import {
  type Amount,
  amount,
  AMOUNT_DECIMALS,
  decimalsOf,
  ONE,
  parseAmount,
  UNITS_PER_ONE,
  ZERO,
} from '../money/amount.js';
import type { CommandResult, CreateMarket, Refusal, SetMarketStatus } from './commands.js';
import { type Context, isRefusal, refusal } from './context.js';
import { createAccount } from './ledger.js';
import { marketThatMayBecome, noteStatus } from './market-status.js';
import { cancel } from './entering.js';
import { settle } from './list-following.js';
import { runTriggered } from './orders.js';
import { settleMarket } from './settlement.js';
import { Market, type Order } from './state.js';
import { noteWaiting } from './stops.js';
import type { MarketDefinition } from './types.js';

const MARKET_ID_PATTERN = /^[A-Z0-9][A-Z0-9._-]{0,63}$/;

/** max_size times price_max must be below 10^18, here scaled by the eighteen decimals of both factors. */
const NOTIONAL_LIMIT = 10n ** 18n * UNITS_PER_ONE * UNITS_PER_ONE;

/** Sums over hundreds of the largest orders stay within safe integers. */
const LOTS_MAX = 10 ** 13;

export function createMarket(context: Context, command: CreateMarket): CommandResult | Refusal {
  const { state, changes } = context;
  if (state.markets.has(command.marketId)) {
    return refusal('market_exists', 'There is a market of this id already. Choose another.');
  }
  for (const code of [command.quoteAsset, command.baseAsset]) {
    if (code !== null && !state.assets.has(code)) {
      return refusal('asset_not_found', `There is no asset ${code}.`);
    }
  }
  const definition = defineMarket(command);
  if (isRefusal(definition)) return definition;

  const pool = definition.kind === 'event' ? createAccount(context, 'pool', definition.marketId, null) : null;
  const market = new Market(definition, pool?.accountId ?? null, context.timeMs);
  market.status =
    definition.opensAtMs !== null && definition.opensAtMs > context.timeMs ? 'scheduled' : 'open';
  market.changedAtMs = context.timeMs;
  state.markets.set(definition.marketId, market);
  state.scheduleMarket(market);
  changes.newMarkets.push(market);
  changes.market(market);
  return { type: 'market', marketId: definition.marketId };
}

/** Fills in the defaults and checks the bounds within which all arithmetic is exact. */
export function defineMarket(command: CreateMarket): MarketDefinition | Refusal {
  const isEvent = command.kind === 'event';
  if (!MARKET_ID_PATTERN.test(command.marketId)) {
    return invalid('market_id must be 1 to 64 of A–Z, 0–9, dot, underscore and hyphen.');
  }
  if (isEvent !== (command.baseAsset === null)) {
    return invalid('base_asset is needed for spot markets and has no meaning for event markets.');
  }
  if (command.baseAsset === command.quoteAsset) return invalid('base_asset and quote_asset must differ.');

  const tickSize = parseAmount(command.tickSize) ?? ZERO;
  const lotSize = parseAmount(command.lotSize) ?? ZERO;
  if (tickSize === 0n || lotSize === 0n) return invalid('tick_size and lot_size must be above zero.');
  const isVariance = command.feeBase === 'variance';
  if (isVariance && !isEvent) return invalid('fee_base variance is for event markets.');
  const decimals = decimalsOf(tickSize) * (isVariance ? 2 : 1) + decimalsOf(lotSize);
  if (decimals > AMOUNT_DECIMALS) {
    return invalid(
      'tick_size and lot_size have too many decimals together: 18 at most, those of the tick twice for variance fees.',
    );
  }

  const priceMaxDefault = isEvent ? most(ONE, tickSize) : most(10n ** 9n * UNITS_PER_ONE, tickSize);
  const priceMinTicks = inUnits(command.priceMin, tickSize, 1);
  const priceMaxTicks = inUnits(command.priceMax, tickSize, priceMaxDefault);
  if (!isRange(priceMinTicks, priceMaxTicks))
    return invalid('price_min and price_max must be whole ticks, in order, above zero.');
  const priceMax = BigInt(priceMaxTicks) * tickSize;
  if (isEvent && priceMax >= ONE)
    return invalid('Prices of an event market lie between 0 and 1; price_max must be below 1.');

  const sizeMaxDefault = Math.min(most(NOTIONAL_LIMIT / priceMax, lotSize), LOTS_MAX);
  const minSizeLots = inUnits(command.minSize, lotSize, 1);
  const maxSizeLots = inUnits(command.maxSize, lotSize, sizeMaxDefault);
  if (!isRange(minSizeLots, maxSizeLots))
    return invalid('min_size and max_size must be whole lots, in order, above zero.');
  const maxSize = BigInt(maxSizeLots) * lotSize;
  if (maxSizeLots > LOTS_MAX)
    return invalid('max_size is more than 10^13 lots. Lower it, or make lot_size larger.');
  if (maxSize * priceMax >= NOTIONAL_LIMIT) {
    return invalid('max_size times price_max must stay below 10^18. Lower one of them.');
  }

  const terms = termsOfTrade(command);
  if (isRefusal(terms)) return terms;
  if (command.opensAtMs !== null && command.closesAtMs !== null && command.closesAtMs <= command.opensAtMs) {
    return invalid('closes_at must come after opens_at.');
  }
  return {
    marketId: command.marketId,
    kind: command.kind,
    title: command.title,
    description: command.description,
    category: command.category,
    baseAsset: command.baseAsset,
    quoteAsset: command.quoteAsset,
    tickSize,
    lotSize,
    minSizeLots,
    maxSizeLots,
    priceMinTicks,
    priceMaxTicks,
    ...terms,
    feeBase: command.feeBase ?? 'notional',
    opensAtMs: command.opensAtMs,
    closesAtMs: command.closesAtMs,
    ...UNCHANGED,
  };
}

/** Of a market as it was made. */
const UNCHANGED = { originalMakerFeeRate: null, originalTakerFeeRate: null, revision: null } as const;

const invalid = (message: string): Refusal => refusal('invalid_market', message);

const HUNDREDTH = UNITS_PER_ONE / 100n;
const BAND_BPS_MAX = 10_000;

/** NaN if it is none. */
function bandOf({ marketOrderBand = null }: CreateMarket): number | null {
  if (marketOrderBand === null) return null;
  const bps = inUnits(marketOrderBand, amount(HUNDREDTH), NaN);
  return bps >= 1 && bps <= BAND_BPS_MAX ? bps : NaN;
}

/** NaN if the text is no whole number of units. */
function inUnits(text: string | null, unit: Amount, fallback: number): number {
  if (text === null) return fallback;
  const value = parseAmount(text);
  return value === undefined || value % unit !== 0n ? NaN : Number(value / unit);
}

/** The largest integer below both 2^53 and `limit / unit`. */
function most(limit: bigint, unit: bigint): number {
  const count = (limit - 1n) / unit;
  return count > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(count);
}

function termsOfTrade(
  command: CreateMarket,
): Pick<MarketDefinition, 'minNotional' | 'marketOrderBandBps' | 'makerFeeRate' | 'takerFeeRate'> | Refusal {
  const minNotional = command.minNotional === null ? ZERO : parseAmount(command.minNotional);
  const makerFeeRate = command.makerFeeRate === null ? ZERO : parseAmount(command.makerFeeRate);
  const takerFeeRate = command.takerFeeRate === null ? ZERO : parseAmount(command.takerFeeRate);
  if (minNotional === undefined) return invalid('min_notional must be a plain decimal.');
  if (
    makerFeeRate === undefined ||
    takerFeeRate === undefined ||
    makerFeeRate >= ONE ||
    takerFeeRate >= ONE
  ) {
    return invalid('maker_fee_rate and taker_fee_rate must be at least 0 and below 1.');
  }
  const marketOrderBandBps = bandOf(command);
  if (Number.isNaN(marketOrderBandBps)) {
    return invalid(
      'market_order_band must be a percentage from 0.01 to 100, in hundredths at most, or null.',
    );
  }
  return { minNotional, marketOrderBandBps, makerFeeRate, takerFeeRate };
}

function isRange(low: number, high: number): boolean {
  return Number.isSafeInteger(low) && Number.isSafeInteger(high) && low >= 1 && high >= low;
}

export function setMarketStatus(context: Context, command: SetMarketStatus): CommandResult | Refusal {
  if (command.status === 'settled') return settleMarket(context, command);
  const market = marketThatMayBecome(context.state, command);
  if (isRefusal(market)) return market;
  changeStatus(context, market, command.status);
  return { type: 'market', marketId: command.marketId };
}

/** Opens, halts or closes a market. Closing cancels all orders; opening runs the stops that waited. */
export function changeStatus(context: Context, market: Market, status: 'open' | 'halted' | 'closed'): void {
  noteStatus(context, market, status);
  if (status === 'closed') {
    context.state.unscheduleMarket(market);
    for (const order of takeResting(market)) cancel(context, order, 'market_closed');
    settle(context);
  }
  if (status === 'open') runTriggered(context, market);
  else noteWaiting(context.state, market);
}

/**
 * All waiting and resting orders: stops first, then each side from its best price, where removal from the book is
 * cheap.
 */
function takeResting(market: Market): Order[] {
  const orders = market.stops.takeAll();
  market.clearTradedRange();
  for (const { levels } of [market.book.bids, market.book.asks]) {
    for (const level of levels.toReversed()) {
      for (let order = level.head; order !== null; order = order.next) orders.push(order);
    }
  }
  return orders;
}
