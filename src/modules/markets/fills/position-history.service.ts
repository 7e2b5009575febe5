import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { CoreService } from '../../../core/core.service.js';
import type { MarketDefinition } from '../../../domain/engine/types.js';
import { exitMark, type Mark } from '../../../domain/pnl/mark.js';
import { NOTHING_TRADED, type PositionTotals } from '../../../domain/pnl/traded-position.js';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { MarketCatalogService } from '../market-data/market-catalog.service.js';
import { exitPricesOf } from './exit-prices.js';
import { FillProjection } from './fill-projection.js';
import { TOTALS_COLUMNS, toTotals, type TotalsRow } from './fill-row.js';
import type { FillKind } from './fill.entity.js';

/** A part of one market's history: what came after one sequence, up to and with another. */
export interface HistorySpan {
  readonly marketId: string;
  readonly after: number;
  readonly until: number;
  /** Whether it ends now, so that open positions are valued by the live book. */
  readonly endsNow: boolean;
}

/** What an account had before a span, and has at its end. */
export interface SpanFigures {
  readonly definition: MarketDefinition;
  readonly before: PositionTotals;
  readonly at: PositionTotals;
  /** Whether anything was filled or settled within the span. */
  readonly isActive: boolean;
  readonly mark: Mark;
}

/** The last fill of an account in a market by some place of the sequence. */
interface LastFill {
  readonly sequence: number;
  readonly kind: FillKind;
  readonly price: bigint;
  readonly totals: PositionTotals;
}

interface LastFillRow extends TotalsRow {
  /** Null where the account had not traded the market by then. */
  readonly sequence: string | null;
  readonly kind: FillKind;
  readonly price: string;
}

/** One index seek for each pair of market and sequence, in their order. */
const LAST_FILLS = `
  SELECT last.*
  FROM unnest($2::text[], $3::bigint[]) WITH ORDINALITY AS asked(market_id, until, place)
  LEFT JOIN LATERAL (
    SELECT sequence, kind, price, ${TOTALS_COLUMNS} FROM fills f
    WHERE f.account_id = $1 AND f.market_id = asked.market_id AND f.sequence <= asked.until
    ORDER BY f.sequence DESC LIMIT 1
  ) last ON true
  ORDER BY asked.place`;

const LAST_PRICES = `
  SELECT last.price_ticks
  FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS asked(market_id, until, place)
  LEFT JOIN LATERAL (
    SELECT price_ticks FROM trades t
    WHERE t.market_id = asked.market_id AND t.trade_id <= asked.until
    ORDER BY t.trade_id DESC LIMIT 1
  ) last ON true
  ORDER BY asked.place`;

/** Positions at any moment, from the running totals of fills: what they cost to read does not grow with history. */
@Injectable()
export class PositionHistoryService {
  constructor(
    private readonly core: CoreService,
    private readonly catalog: MarketCatalogService,
    private readonly projection: FillProjection,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {}

  /** The markets that the account has ever traded, in order of their ids. */
  async tradedMarkets(accountId: number): Promise<string[]> {
    await this.core.projected();
    const { rows } = await this.pool.query<{ market_id: string }>(
      'SELECT market_id FROM positions WHERE account_id = $1 ORDER BY market_id COLLATE "C"',
      [accountId],
    );
    return rows.map((row) => row.market_id);
  }

  /**
   * Resolves once every fill in these markets that was acknowledged before the call is stored. Throws
   * `temporarily_unavailable` where the table does not move.
   */
  async workOff(marketIds: Iterable<string>): Promise<void> {
    await Promise.all([...marketIds].map((marketId) => this.projection.catchUp(marketId)));
  }

  /**
   * The figures of each span, in their order, with every fill that was acknowledged before the call. Throws
   * `temporarily_unavailable` where the table does not move.
   */
  async figuresOf(accountId: number, spans: readonly HistorySpan[]): Promise<SpanFigures[]> {
    const marketIds = spans.map(({ marketId }) => marketId);
    const begins = spans.map(({ after }) => after);
    const ends = spans.map(({ until }) => until);
    await this.workOff(new Set(marketIds));
    const [before, at, lastTicks] = await Promise.all([
      this.lastFills(accountId, marketIds, begins),
      this.lastFills(accountId, marketIds, ends),
      this.lastPrices(marketIds, ends),
    ]);
    return spans.map((span, i) => {
      const { definition } = this.catalog.view(span.marketId);
      const [begin, end] = [before[i], at[i]];
      return {
        definition,
        before: begin?.totals ?? NOTHING_TRADED,
        at: end?.totals ?? NOTHING_TRADED,
        isActive: end !== undefined && end.sequence > span.after,
        mark: this.markOf(span, definition, end, lastTicks[i]!),
      };
    });
  }

  private markOf(
    { marketId, endsNow }: HistorySpan,
    definition: MarketDefinition,
    last: LastFill | undefined,
    lastTicks: number | null,
  ): Mark {
    if (last?.kind === 'settlement' || last?.kind === 'correction')
      return { price: last.price, source: 'settlement' };
    const top = endsNow ? this.core.book(marketId, 1) : undefined;
    return exitMark(last?.totals.sizeLots ?? 0, exitPricesOf(definition, lastTicks, top));
  }

  private async lastFills(
    accountId: number,
    marketIds: readonly string[],
    sequences: readonly number[],
  ): Promise<(LastFill | undefined)[]> {
    const { rows } = await this.pool.query<LastFillRow>(LAST_FILLS, [accountId, marketIds, sequences]);
    return rows.map((row) =>
      row.sequence === null
        ? undefined
        : {
            sequence: Number(row.sequence),
            kind: row.kind,
            price: BigInt(row.price),
            totals: toTotals(row),
          },
    );
  }

  private async lastPrices(
    marketIds: readonly string[],
    sequences: readonly number[],
  ): Promise<(number | null)[]> {
    const { rows } = await this.pool.query<{ price_ticks: string | null }>(LAST_PRICES, [
      marketIds,
      sequences,
    ]);
    return rows.map(({ price_ticks }) => (price_ticks === null ? null : Number(price_ticks)));
  }
}
