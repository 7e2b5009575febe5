import { Injectable } from '@nestjs/common';
import { Trading, type AccountFillDto, type BalanceDto, type Principal } from '../../../src/index.js';
import { badCombination } from '../binance-error.js';
import type { Parameters } from '../parameters.js';
import { SymbolsService } from '../symbols.service.js';
import { productOf, tradeNumberOf } from '../trades.js';
import { LIMIT_MAX, periodOf } from '../trades.service.js';
import { isNothing, NO_LIST, orderNumberOf } from './order-response.js';

const LIMIT_DEFAULT = 500;
const PAGE = 200;
/** How far back lists that begin at a trade or a time look. */
const HISTORY_PAGES_MAX = 25;

/** The caller's own account, and what it traded. */
@Injectable()
export class DialectAccounts {
  constructor(
    private readonly trading: Trading,
    private readonly symbols: SymbolsService,
  ) {}

  async account(caller: Principal, parameters: Parameters): Promise<object> {
    const omitsZero = parameters.boolean('omitZeroBalances') ?? false;
    const balances = await this.balances(caller);
    const canTrade = caller.scopes.has('markets:trade');
    return {
      makerCommission: 0,
      takerCommission: 0,
      buyerCommission: 0,
      sellerCommission: 0,
      canTrade,
      canWithdraw: false,
      canDeposit: false,
      brokered: false,
      requireSelfTradePrevention: true,
      preventSor: true,
      updateTime: Date.now(),
      accountType: 'SPOT',
      balances: balances
        .filter(({ total }) => !omitsZero || !isNothing(total))
        .map(({ asset, available, held }) => ({ asset, free: available ?? '0', locked: held ?? '0' })),
      permissions: ['SPOT'],
      uid: caller.accountId ?? 0,
    };
  }

  async trades(caller: Principal, parameters: Parameters): Promise<object[]> {
    const { symbol, marketId } = this.symbols.get(parameters.symbol());
    const limit = parameters.limit(LIMIT_DEFAULT, LIMIT_MAX);
    const fromId = parameters.integer('fromId');
    const orderId = parameters.integer('orderId');
    const period = periodOf(parameters);
    const hasPeriod = period.from !== undefined || period.to !== undefined;
    if (fromId !== undefined && hasPeriod) throw badCombination();
    const isFromOldest = fromId !== undefined || period.from !== undefined;
    const found: AccountFillDto[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < HISTORY_PAGES_MAX; pages++) {
      const page = await this.trading.fills(caller, {
        market_id: marketId,
        ...period,
        limit: PAGE,
        ...(cursor !== undefined && { cursor }),
      });
      found.push(
        ...page.data.filter(
          (fill) =>
            fill.kind === 'trade' && (orderId === undefined || orderNumberOf(fill.order_id!) === orderId),
        ),
      );
      const oldest = page.data.findLast(({ kind }) => kind === 'trade');
      const isPast = fromId !== undefined && oldest !== undefined && tradeNumberOf(oldest.trade_id!) < fromId;
      if (page.next_cursor === null || isPast || (!isFromOldest && found.length >= limit)) break;
      cursor = page.next_cursor;
    }
    const fills = found
      .filter((fill) => fromId === undefined || tradeNumberOf(fill.trade_id!) >= fromId)
      .reverse();
    return (isFromOldest ? fills.slice(0, limit) : fills.slice(-limit)).map((fill) =>
      ownTradeOf(fill, symbol),
    );
  }

  /** All of them: there are few assets. */
  private async balances(caller: Principal): Promise<BalanceDto[]> {
    const balances: BalanceDto[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.trading.balances(caller, 'me', {
        limit: PAGE,
        ...(cursor !== undefined && { cursor }),
      });
      balances.push(...page.data);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    return balances;
  }
}

function ownTradeOf(fill: AccountFillDto, symbol: string): object {
  const isBuyer = fill.side === 'buy';
  const isMaker = fill.liquidity === 'maker';
  return {
    symbol,
    id: tradeNumberOf(fill.trade_id!),
    orderId: orderNumberOf(fill.order_id!),
    orderListId: NO_LIST,
    price: fill.price,
    qty: fill.size,
    quoteQty: productOf(fill.price, fill.size),
    commission: fill.fee,
    commissionAsset: fill.fee_asset,
    time: Date.parse(fill.executed_at),
    isBuyer,
    isMaker,
    isBestMatch: true,
  };
}
