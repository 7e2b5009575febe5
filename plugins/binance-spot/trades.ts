import { amount, formatAmount, parseAmount, type TradeDto, TRADE_IDS } from '../../src/index.js';

const ONE = parseAmount('1')!;

/** A number of ours as the dialect has ids. */
export function tradeNumberOf(tradeId: string): number {
  return TRADE_IDS.parse(tradeId)!;
}

export function tradeIdOf(number: number): string {
  return TRADE_IDS.format(number);
}

/** Price times size, exactly down to 18 decimals. */
export function productOf(price: string, size: string): string {
  return formatAmount(amount((parseAmount(price)! * parseAmount(size)!) / ONE));
}

export function sumOf(amounts: readonly string[]): string {
  return formatAmount(amounts.reduce((sum, each) => sum + parseAmount(each)!, 0n));
}

export interface PublicTrade {
  readonly id: number;
  readonly price: string;
  readonly qty: string;
  readonly quoteQty: string;
  readonly time: number;
  readonly isBuyerMaker: boolean;
  readonly isBestMatch: true;
}

export function publicTradeOf(trade: TradeDto): PublicTrade {
  return {
    id: tradeNumberOf(trade.trade_id),
    price: trade.price,
    qty: trade.size,
    quoteQty: productOf(trade.price, trade.size),
    time: Date.parse(trade.executed_at),
    isBuyerMaker: trade.taker_side === 'sell',
    isBestMatch: true,
  };
}

/** Trades of one incoming order at one price. */
export interface AggregateTrade {
  /** That of the first trade. */
  readonly a: number;
  readonly p: string;
  readonly q: string;
  readonly f: number;
  readonly l: number;
  readonly T: number;
  readonly m: boolean;
  readonly M: true;
}

/** Of trades in the order in which they were made. */
export function aggregatesOf(trades: readonly TradeDto[]): AggregateTrade[] {
  const groups: TradeDto[][] = [];
  for (const trade of trades) {
    const group = groups.at(-1);
    if (group !== undefined && isSameOrder(group[0]!, trade)) group.push(trade);
    else groups.push([trade]);
  }
  return groups.map(aggregateOf);
}

/** One command brings in one order, and each command has its sequence. */
function isSameOrder(first: TradeDto, other: TradeDto): boolean {
  return first.sequence === other.sequence && first.price === other.price;
}

function aggregateOf(group: readonly TradeDto[]): AggregateTrade {
  const [first, last] = [group[0]!, group.at(-1)!];
  return {
    a: tradeNumberOf(first.trade_id),
    p: first.price,
    q: sumOf(group.map(({ size }) => size)),
    f: tradeNumberOf(first.trade_id),
    l: tradeNumberOf(last.trade_id),
    T: Date.parse(first.executed_at),
    m: first.taker_side === 'sell',
    M: true,
  };
}
