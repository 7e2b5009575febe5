import { Injectable } from '@nestjs/common';
import {
  Trading,
  type AccountFeesDto,
  type AccountFillDto,
  type BalanceDto,
  type Principal,
} from '../../../src/index.js';
import { badCombination, invalidSymbol } from '../binance-error.js';
import type { Parameters } from '../parameters.js';
import { SymbolsService } from '../symbols.service.js';
import { productOf, tradeNumberOf } from '../trades.js';
import { LIMIT_MAX, periodOf } from '../trades.service.js';
import { isNothing, NO_LIST, orderNumberOf } from './order-response.js';

const LIMIT_DEFAULT = 500;
const PAGE = 200;
/** How far back lists that begin at a trade or a time look. */
const HISTORY_PAGES_MAX = 25;
const NO_DISCOUNT = {
  enabledForAccount: false,
  enabledForSymbol: false,
  discountAsset: null,
  discount: '0',
} as const;

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
    const { data: fees } = await this.trading.fees(caller, 'me', { limit: PAGE });
    const maker = highestOf(fees.map(({ maker_fee_rate: rate }) => rate));
    const taker = highestOf(fees.map(({ taker_fee_rate: rate }) => rate));
    const canTrade = caller.scopes.has('markets:trade');
    return {
      makerCommission: basisPointsOf(maker),
      takerCommission: basisPointsOf(taker),
      buyerCommission: 0,
      sellerCommission: 0,
      commissionRates: { maker, taker, buyer: '0', seller: '0' },
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

  /** The rates that the account has in one symbol. */
  async commission(caller: Principal, parameters: Parameters): Promise<object> {
    const { symbol, marketId } = this.symbols.get(parameters.symbol());
    const { maker_fee_rate: maker, taker_fee_rate: taker } = await this.feesIn(caller, marketId);
    const none = { maker: '0', taker: '0', buyer: '0', seller: '0' };
    return {
      symbol,
      standardCommission: { ...none, maker, taker },
      specialCommission: none,
      taxCommission: none,
      discount: NO_DISCOUNT,
    };
  }

  /** The rates of an order in a symbol. */
  async commissionForOrder(caller: Principal, parameters: Parameters): Promise<object> {
    const { marketId } = this.symbols.get(parameters.symbol());
    const { maker_fee_rate: maker, taker_fee_rate: taker } = await this.feesIn(caller, marketId);
    const none = { maker: '0', taker: '0' };
    return {
      standardCommissionForOrder: { maker, taker },
      specialCommissionForOrder: none,
      taxCommissionForOrder: none,
      discount: NO_DISCOUNT,
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

  private async feesIn(caller: Principal, marketId: string): Promise<AccountFeesDto> {
    let cursor: string | undefined;
    do {
      const page = await this.trading.fees(caller, 'me', {
        limit: PAGE,
        ...(cursor !== undefined && { cursor }),
      });
      const fees = page.data.find(({ market_id: id }) => id === marketId);
      if (fees !== undefined) return fees;
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    throw invalidSymbol();
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

/** `0` where there is no market. */
function highestOf(rates: readonly string[]): string {
  return rates.reduce((highest, rate) => (Number(rate) > Number(highest) ? rate : highest), rates[0] ?? '0');
}

function basisPointsOf(rate: string): number {
  return Math.round(Number(rate) * 10_000);
}
