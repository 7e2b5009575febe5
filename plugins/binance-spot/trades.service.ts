import { Injectable } from '@nestjs/common';
import { MarketData, type TradeDto } from '../../src/index.js';
import { badCombination, invalidParameter } from './binance-error.js';
import type { Parameters } from './parameters.js';
import { SymbolsService } from './symbols.service.js';
import {
  aggregatesOf,
  publicTradeOf,
  tradeIdOf,
  tradeNumberOf,
  type AggregateTrade,
  type PublicTrade,
} from './trades.js';

const LIMIT_DEFAULT = 500;
export const LIMIT_MAX = 1_000;
/** The most that the service answers at once. */
const PAGE = 200;

/** Where a part of the history begins, and where it ends. */
interface Part {
  readonly fromId?: number | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Trades, oldest first, as the dialect lists them. */
@Injectable()
export class TradesService {
  constructor(
    private readonly data: MarketData,
    private readonly symbols: SymbolsService,
  ) {}

  async recent(parameters: Parameters): Promise<PublicTrade[]> {
    const { marketId } = this.symbols.get(parameters.symbol());
    const trades = await this.latest(marketId, parameters.limit(LIMIT_DEFAULT, LIMIT_MAX));
    return trades.map(publicTradeOf);
  }

  async historical(parameters: Parameters): Promise<PublicTrade[]> {
    const fromId = parameters.integer('fromId');
    if (fromId === undefined) return this.recent(parameters);
    const { marketId } = this.symbols.get(parameters.symbol());
    const trades = await this.first(marketId, { fromId }, parameters.limit(LIMIT_DEFAULT, LIMIT_MAX));
    return trades.map(publicTradeOf);
  }

  async aggregated(parameters: Parameters): Promise<AggregateTrade[]> {
    const { marketId } = this.symbols.get(parameters.symbol());
    const limit = parameters.limit(LIMIT_DEFAULT, LIMIT_MAX);
    const fromId = parameters.integer('fromId');
    const period = periodOf(parameters);
    if (fromId !== undefined && (period.from !== undefined || period.to !== undefined))
      throw badCombination();
    if (fromId === undefined && period.from === undefined) {
      return this.latestAggregates(marketId, limit, period.to);
    }
    return this.firstAggregates(marketId, { fromId, ...period }, limit);
  }

  /** More trades are read until there are as many aggregates, each of them whole. */
  private async firstAggregates(marketId: string, part: Part, limit: number): Promise<AggregateTrade[]> {
    const trades: TradeDto[] = [];
    let { fromId } = part;
    for (;;) {
      const page = await this.firstPage(marketId, { ...part, fromId }, PAGE);
      trades.push(...page);
      const aggregates = aggregatesOf(trades);
      // The last one may go on in the next page.
      if (aggregates.length > limit || page.length < PAGE) return aggregates.slice(0, limit);
      fromId = tradeNumberOf(page.at(-1)!.trade_id) + 1;
    }
  }

  private async first(marketId: string, part: Part, count: number): Promise<TradeDto[]> {
    const trades: TradeDto[] = [];
    let { fromId } = part;
    while (trades.length < count) {
      const limit = Math.min(PAGE, count - trades.length);
      const page = await this.firstPage(marketId, { ...part, fromId }, limit);
      trades.push(...page);
      if (page.length < limit) break;
      fromId = tradeNumberOf(page.at(-1)!.trade_id) + 1;
    }
    return trades;
  }

  private firstPage(marketId: string, { fromId, from, to }: Part, limit: number): Promise<TradeDto[]> {
    // No trade has the number 0.
    const from_id = fromId === undefined || fromId === 0 ? undefined : tradeIdOf(fromId);
    return this.data.firstTrades(marketId, { from_id, from, to, limit });
  }

  private async latest(marketId: string, count: number): Promise<TradeDto[]> {
    const trades: TradeDto[] = [];
    let cursor: string | undefined;
    do {
      const limit = Math.min(PAGE, count - trades.length);
      const page = await this.data.trades(marketId, { limit, cursor });
      trades.push(...page.data);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined && trades.length < count);
    return trades.reverse();
  }

  /** Trades are read backwards until there is one aggregate more, so that those that count are whole. */
  private async latestAggregates(marketId: string, count: number, to?: string): Promise<AggregateTrade[]> {
    const trades: TradeDto[] = [];
    let cursor: string | undefined;
    for (;;) {
      const page = await this.data.trades(marketId, { limit: PAGE, to, cursor });
      trades.unshift(...page.data.reverse());
      cursor = page.next_cursor ?? undefined;
      const aggregates = aggregatesOf(trades);
      if (aggregates.length > count || cursor === undefined) return aggregates.slice(-count);
    }
  }
}

/** Both ends are included. Throws for a period that says nothing. */
export function periodOf(parameters: Parameters): { readonly from?: string; readonly to?: string } {
  const [start, end] = [timeOf(parameters, 'startTime'), timeOf(parameters, 'endTime')];
  if (start !== undefined && end !== undefined && start > end) throw badCombination();
  return {
    ...(start !== undefined && { from: new Date(start).toISOString() }),
    ...(end !== undefined && { to: new Date(end + 1).toISOString() }),
  };
}

/** The last millisecond that our times can say is in the year 9999. */
const TIME_MAX_MS = 253_402_300_799_000;

function timeOf(parameters: Parameters, name: string): number | undefined {
  const time = parameters.integer(name);
  if (time !== undefined && time > TIME_MAX_MS) throw invalidParameter(name);
  return time;
}
