import { Injectable } from '@nestjs/common';
import { RealizedPnl } from '../../limits/realized-pnl.js';
import { MarketCatalogService } from '../market-data/market-catalog.service.js';
import { PositionHistoryService } from './position-history.service.js';

/** Tells loss limits what an account had realised before a period, from the running totals of its fills. */
@Injectable()
export class RealizedBefore extends RealizedPnl {
  constructor(
    private readonly history: PositionHistoryService,
    private readonly catalog: MarketCatalogService,
  ) {
    super();
  }

  /** After fees, over all markets of the quote asset. Throws `temporarily_unavailable` while many fills are worked off. */
  override async by(accountId: number, asset: string, sequence: number): Promise<bigint> {
    const marketIds = (await this.history.tradedMarkets(accountId)).filter(
      (marketId) => this.catalog.view(marketId).definition.quoteAsset === asset,
    );
    const spans = marketIds.map((marketId) => ({ marketId, after: 0, until: sequence, endsNow: false }));
    const figures = await this.history.figuresOf(accountId, spans);
    return figures.reduce((sum, { at }) => sum + at.average_cost.realizedPnl - at.fees, 0n);
  }
}
