import type { MarketDto } from '../../src/index.js';
import { decimalsOf, priceFormatOf } from './price-format.js';
import { INTRADAY_MULTIPLIERS, RESOLUTIONS } from './resolutions.js';
import { unixTimeOf } from './unix-time.js';

export const EXCHANGE = 'Tradepost';

type MarketKind = MarketDto['kind'];

/** Event contracts are dated and settle, as futures do. */
const TYPES: Readonly<Record<MarketKind, string>> = { spot: 'crypto', event: 'futures' };
const TYPE_NAMES: Readonly<Record<MarketKind, string>> = { spot: 'Spot', event: 'Events' };
const KINDS = Object.keys(TYPES) as readonly MarketKind[];

export const SYMBOL_TYPES = KINDS.map((kind) => ({ name: TYPE_NAMES[kind], value: TYPES[kind] }));

/** `undefined` for a type that no market has. */
export function kindOfType(type: string): MarketKind | undefined {
  return KINDS.find((kind) => TYPES[kind] === type);
}

/** What a chart knows of a market. */
export interface SymbolInfo {
  readonly name: string;
  readonly ticker: string;
  readonly full_name: string;
  readonly description: string;
  readonly type: string;
  readonly exchange: string;
  readonly listed_exchange: string;
  readonly session: string;
  readonly timezone: string;
  readonly format: string;
  readonly minmov: number;
  readonly minmove2: number;
  readonly pricescale: number;
  readonly pointvalue: number;
  readonly has_intraday: boolean;
  readonly has_daily: boolean;
  readonly has_weekly_and_monthly: boolean;
  readonly intraday_multipliers: readonly string[];
  readonly supported_resolutions: readonly string[];
  readonly volume_precision: number;
  readonly data_status: string;
  readonly currency_code: string;
  readonly expired?: boolean;
  readonly expiration_date?: number;
}

export function symbolInfoOf(market: MarketDto): SymbolInfo {
  return {
    name: market.market_id,
    ticker: market.market_id,
    full_name: fullNameOf(market),
    description: market.title,
    type: TYPES[market.kind],
    exchange: EXCHANGE,
    listed_exchange: EXCHANGE,
    session: '24x7',
    timezone: 'Etc/UTC',
    format: 'price',
    ...priceFormatOf(market.tick_size),
    minmove2: 0,
    pointvalue: 1,
    has_intraday: true,
    has_daily: true,
    has_weekly_and_monthly: false,
    intraday_multipliers: INTRADAY_MULTIPLIERS,
    supported_resolutions: RESOLUTIONS,
    volume_precision: decimalsOf(market.lot_size),
    data_status: 'streaming',
    currency_code: market.quote_asset,
    ...(market.settled_at !== null && { expired: true, expiration_date: unixTimeOf(market.settled_at) }),
  };
}

/** One line of the chart's symbol search. */
export interface FoundSymbol {
  readonly symbol: string;
  readonly full_name: string;
  readonly description: string;
  readonly exchange: string;
  readonly ticker: string;
  readonly type: string;
}

export function foundSymbolOf(market: MarketDto): FoundSymbol {
  return {
    symbol: market.market_id,
    full_name: fullNameOf(market),
    description: market.title,
    exchange: EXCHANGE,
    ticker: market.market_id,
    type: TYPES[market.kind],
  };
}

/** The market of a symbol, which may begin with the exchange: `Tradepost:BTC-USD`. */
export function marketIdOf(symbol: string): string {
  const prefix = `${EXCHANGE}:`;
  return symbol.toLowerCase().startsWith(prefix.toLowerCase()) ? symbol.slice(prefix.length) : symbol;
}

function fullNameOf(market: MarketDto): string {
  return `${EXCHANGE}:${market.market_id}`;
}
