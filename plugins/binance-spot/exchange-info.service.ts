import { Injectable } from '@nestjs/common';
import { CoreService, MarketData, type MarketDto } from '../../src/index.js';
import { badCombination, invalidParameter } from './binance-error.js';
import type { Parameters } from './parameters.js';
import { RequestWeights } from './request-weights.js';
import { SymbolsService, type SymbolMarket } from './symbols.service.js';

/** Our assets have up to 18 decimals. */
const PRECISION_DEFAULT = 18;
const ORDER_TYPES = ['LIMIT', 'LIMIT_MAKER', 'MARKET', 'STOP_LOSS', 'STOP_LOSS_LIMIT'] as const;
const STATUSES = ['TRADING', 'HALT', 'BREAK'] as const;
type SymbolStatus = (typeof STATUSES)[number];

export interface ExchangeInfo {
  readonly timezone: 'UTC';
  readonly serverTime: number;
  readonly rateLimits: readonly object[];
  readonly exchangeFilters: readonly object[];
  readonly symbols: readonly SymbolInfo[];
}

export interface SymbolInfo {
  readonly symbol: string;
  readonly status: SymbolStatus;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  readonly filters: readonly object[];
  readonly [field: string]: unknown;
}

/** The rules of the exchange and of its symbols. */
@Injectable()
export class ExchangeInfoService {
  constructor(
    private readonly data: MarketData,
    private readonly core: CoreService,
    private readonly symbols: SymbolsService,
    private readonly weights: RequestWeights,
  ) {}

  async info(parameters: Parameters): Promise<ExchangeInfo> {
    const named = parameters.symbols();
    const status = parameters.oneOf('symbolStatus', STATUSES, () => invalidParameter('symbolStatus'));
    if (named !== undefined && (status !== undefined || parameters.has('permissions')))
      throw badCombination();
    const infos: SymbolInfo[] = [];
    if (permitsSpot(parameters.text('permissions'))) {
      for (const symbol of this.symbols.list(named)) infos.push(await this.symbolInfo(symbol));
    }
    return {
      timezone: 'UTC',
      serverTime: Date.now(),
      rateLimits: [
        {
          rateLimitType: 'REQUEST_WEIGHT',
          interval: 'MINUTE',
          intervalNum: 1,
          limit: this.weights.perMinuteMax,
        },
      ],
      exchangeFilters: [],
      symbols: infos.filter((info) => status === undefined || info.status === status),
    };
  }

  private async symbolInfo({ symbol, marketId, baseAsset, quoteAsset }: SymbolMarket): Promise<SymbolInfo> {
    const market = await this.data.market(marketId);
    const [base, quote] = [this.precisionOf(baseAsset), this.precisionOf(quoteAsset)];
    return {
      symbol,
      status: statusOf(market),
      baseAsset,
      baseAssetPrecision: base,
      quoteAsset,
      quotePrecision: quote,
      quoteAssetPrecision: quote,
      baseCommissionPrecision: base,
      quoteCommissionPrecision: quote,
      orderTypes: ORDER_TYPES,
      icebergAllowed: true,
      ocoAllowed: false,
      otoAllowed: false,
      opoAllowed: false,
      quoteOrderQtyMarketAllowed: true,
      allowTrailingStop: false,
      cancelReplaceAllowed: true,
      amendAllowed: false,
      pegInstructionsAllowed: false,
      isSpotTradingAllowed: true,
      isMarginTradingAllowed: false,
      filters: filtersOf(market),
      permissions: [],
      permissionSets: [['SPOT']],
      defaultSelfTradePreventionMode: 'EXPIRE_TAKER',
      allowedSelfTradePreventionModes: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'],
    };
  }

  private precisionOf(asset: string): number {
    return this.core.asset(asset)?.scale ?? PRECISION_DEFAULT;
  }
}

function permitsSpot(permissions: string | undefined): boolean {
  return permissions === undefined || permissions === 'SPOT' || permissions.includes('"SPOT"');
}

export function statusOf({ status }: Pick<MarketDto, 'status'>): SymbolStatus {
  if (status === 'open') return 'TRADING';
  return status === 'halted' ? 'HALT' : 'BREAK';
}

function filtersOf(market: MarketDto): object[] {
  return [
    {
      filterType: 'PRICE_FILTER',
      minPrice: market.price_min,
      maxPrice: market.price_max,
      tickSize: market.tick_size,
    },
    { filterType: 'LOT_SIZE', minQty: market.min_size, maxQty: market.max_size, stepSize: market.lot_size },
    { filterType: 'MIN_NOTIONAL', minNotional: market.min_notional, applyToMarket: true, avgPriceMins: 0 },
  ];
}
