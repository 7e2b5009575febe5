import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { ReadPool } from '../../../core/reads/read-pool.js';
import { unitsOf } from '../../../domain/market/units.js';
import { decodeCursor, encodeCursor, type Page, pageOf } from '../../../kit/http/pagination.js';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { MomentsService } from '../../accounts/moments/moments.service.js';
import { MarketCatalogService } from '../market-data/market-catalog.service.js';
import { TradeEntity } from '../market-data/trade.entity.js';
import { type ListAllTradesQueryDto, type OperatorTradeDto, toOperatorTradeDto } from './all-trading.dto.js';

/** The most trades of one side that a page looks at for those of a market. */
const SCANNED_TRADES_MAX = 5_000;

/** The newest of each market, from the primary key: what this costs grows with the markets, not with their history. */
const OF_ALL_MARKETS = `
  SELECT newest.market_id, newest.trade_id FROM market_books book
  CROSS JOIN LATERAL (
    SELECT trade.market_id, trade.trade_id FROM trades trade
    WHERE trade.market_id = book.market_id AND trade.trade_id BETWEEN $1 AND $2
    ORDER BY trade.trade_id DESC LIMIT $3
  ) newest
  ORDER BY newest.trade_id DESC LIMIT $3`;

const OF_MARKET = `
  SELECT market_id, trade_id FROM trades
  WHERE market_id = $4 AND trade_id BETWEEN $1 AND $2 ORDER BY trade_id DESC LIMIT $3`;

/** Each side from its own index. */
const OF_ACCOUNT = ofSides('SELECT market_id, trade_id FROM trades WHERE SIDE = $4 AND RANGE LIMIT $3');

const OF_ACCOUNT_IN_MARKET = ofSides(
  `SELECT market_id, trade_id FROM (
     SELECT market_id, trade_id FROM trades WHERE SIDE = $4 AND RANGE LIMIT ${SCANNED_TRADES_MAX}
   ) scanned WHERE market_id = $5`,
);

/** Where a side has more trades than are looked at: the last of those. */
const EDGE = `
  SELECT max(trade_id) AS edge FROM (
    (SELECT trade_id FROM trades WHERE maker_account_id = $3 AND trade_id BETWEEN $1 AND $2
      ORDER BY trade_id DESC OFFSET ${SCANNED_TRADES_MAX - 1} LIMIT 1)
    UNION ALL
    (SELECT trade_id FROM trades WHERE taker_account_id = $3 AND trade_id BETWEEN $1 AND $2
      ORDER BY trade_id DESC OFFSET ${SCANNED_TRADES_MAX - 1} LIMIT 1)
  ) edges`;

interface TradeKey {
  readonly market_id: string;
  /** A bigint, as text. */
  readonly trade_id: string;
}

/** The trades of all accounts, with both their sides. */
@Injectable()
export class AllTrades {
  constructor(
    private readonly core: CoreService,
    private readonly access: AccountAccessService,
    private readonly catalog: MarketCatalogService,
    private readonly moments: MomentsService,
    private readonly reads: ReadPool,
  ) {}

  /**
   * Newest first. Where few trades meet the filter, a page may be shorter than its limit, even empty, and still have a
   * next one. Throws `account_not_found`, `invalid_cursor`, `validation_failed`.
   */
  async list(query: ListAllTradesQueryDto): Promise<Page<OperatorTradeDto>> {
    const { account_id: account, market_id: marketId, limit } = query;
    const accountId =
      account === undefined ? undefined : (await this.access.customerAccount(account)).accountId;
    const [before] = decodeCursor(query.cursor, ['integer']) ?? [Number.MAX_SAFE_INTEGER];
    const { after, until } = await this.moments.spanOf(query);
    const last = Math.min(until, before - 1);
    await this.core.projected();
    return this.reads.read(async (manager) => {
      const edge =
        accountId === undefined || marketId === undefined
          ? null
          : await edgeOf(manager, [after + 1, last, accountId]);
      const range = [Math.max(after + 1, edge ?? 0), last, limit + 1];
      const keys = await manager.query<TradeKey[]>(...statementOf(range, accountId, marketId));
      const page = pageOf(
        await tradesOf(manager, keys),
        limit,
        (trade) => [trade.tradeId],
        (trade) => toOperatorTradeDto(trade, unitsOf(this.catalog.view(trade.marketId).definition)),
      );
      if (page.next_cursor !== null || edge === null) return page;
      return { data: page.data, next_cursor: encodeCursor([edge]) };
    });
  }
}

function statementOf(
  range: readonly number[],
  accountId: number | undefined,
  marketId: string | undefined,
): [statement: string, parameters: unknown[]] {
  if (accountId === undefined) {
    return marketId === undefined ? [OF_ALL_MARKETS, [...range]] : [OF_MARKET, [...range, marketId]];
  }
  return marketId === undefined
    ? [OF_ACCOUNT, [...range, accountId]]
    : [OF_ACCOUNT_IN_MARKET, [...range, accountId, marketId]];
}

/** A trade may have both sides in one account. */
function ofSides(statement: string): string {
  const [maker, taker] = ['maker_account_id', 'taker_account_id'].map((side) =>
    statement.replace('SIDE', side).replace('RANGE', 'trade_id BETWEEN $1 AND $2 ORDER BY trade_id DESC'),
  );
  return `(${maker}) UNION (${taker}) ORDER BY trade_id DESC LIMIT $3`;
}

async function edgeOf(manager: EntityManager, parameters: unknown[]): Promise<number | null> {
  const [row] = await manager.query<[{ readonly edge: string | null }]>(EDGE, parameters);
  return row.edge === null ? null : Number(row.edge);
}

async function tradesOf(manager: EntityManager, keys: readonly TradeKey[]): Promise<TradeEntity[]> {
  if (keys.length === 0) return [];
  return manager
    .createQueryBuilder(TradeEntity, 't')
    .where('(t.market_id, t.trade_id) IN (SELECT * FROM unnest(:marketIds::text[], :tradeIds::bigint[]))', {
      marketIds: keys.map((key) => key.market_id),
      tradeIds: keys.map((key) => key.trade_id),
    })
    .orderBy('t.tradeId', 'DESC')
    .getMany();
}
